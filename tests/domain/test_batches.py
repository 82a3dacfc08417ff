"""In which order a sequential plan asks its cases, and which of them at all."""

from harness.domain.batches import after_the_batches, asked_at_most, batches
from tests.runs import a_plan

CASES = [{"id": f"c{n}", "prompt": f"Q{n}?", "cluster": f"u{n // 3}"} for n in range(12)]


def names(cases):
    return [case.id for case in cases]


def in_turn(plan):
    return [case.id for batch in batches(plan) for case in batch]


def sequential(**fields):
    return a_plan(cases=CASES, sequential={"batch": 4, **fields}, held_out=["c0", "c1", "c2"])


def test_a_plan_of_a_fixed_size_is_one_batch_in_its_own_order():
    assert [names(batch) for batch in batches(a_plan(cases=3))] == [["c0", "c1", "c2"]]
    assert batches(a_plan(cases=[])) == ()


def test_clusters_are_asked_whole_and_held_out_cases_are_in_no_batch():
    found = [names(batch) for batch in batches(sequential())]

    assert sorted(in_turn(sequential())) == ["c10", "c11", "c3", "c4", "c5", "c6", "c7", "c8", "c9"]
    assert [len(batch) for batch in found] == [6, 3]
    clusters = [int(name[1:]) // 3 for name in in_turn(sequential())]
    assert sorted(set(clusters), key=clusters.index) == clusters[::3]


def test_the_seed_decides_the_order_and_the_order_of_the_file_does_not():
    turned = a_plan(cases=CASES[::-1], sequential={"batch": 4}, held_out=["c0", "c1", "c2"])
    order = [sorted(names(batch)) for batch in batches(sequential())]
    others = {
        tuple(names(batches(a_plan(cases=CASES, sequential={"batch": 3}, seed=seed))[0])) for seed in range(9)
    }

    assert [sorted(names(batch)) for batch in batches(turned)] == order
    assert len(others) > 1


def test_a_longer_set_keeps_the_order_of_the_shorter_one():
    shorter = in_turn(a_plan(cases=6, sequential={"batch": 2}))
    longer = in_turn(a_plan(cases=9, sequential={"batch": 2}))

    assert [name for name in longer if name in shorter] == shorter


def test_no_more_than_n_max_cases_are_asked():
    assert len(in_turn(sequential(n_max=8))) == 6
    assert len(in_turn(sequential(n_max=9))) == 9


def test_held_out_cases_are_asked_all_or_none():
    assert names(after_the_batches(sequential())) == ["c0", "c1", "c2"]
    assert after_the_batches(sequential(ask_held_out=False)) == ()
    assert names(asked_at_most(sequential(ask_held_out=False, n_max=3)).cases) == names(
        sorted(batches(sequential())[0][:3], key=lambda case: int(case.id[1:]))
    )
    assert asked_at_most(sequential(ask_held_out=False)).held_out == ()
