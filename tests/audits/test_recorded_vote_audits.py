"""Recorded votes with a known defect, and without one."""

import numpy as np
import pytest

from harness.audits.recorded_votes import audit_votes
from harness.audits.vote_parts import above, below, within
from harness.domain.blocks import IntervalBlock
from harness.domain.recorded_votes import INCONSISTENT, Rating, RecordedVote, VoteFile, VoteItem
from harness.domain.vote_audit import JudgeAudit, VoteAudit, VoteAuditSettings

LABELS = ("fail", "pass")
SETTINGS = VoteAuditSettings()


def vote(label: str | None, *, repeat: int = 0, first: str | None = None, **more: object) -> RecordedVote:
    fields = {"reason": None if label else "unreadable", "score": None, "both_orders": False} | more
    return RecordedVote(judge="j", repeat=repeat, label=label, first=first, **fields)


def item(name: object, votes: list[RecordedVote], people: str = "", **more: object) -> VoteItem:
    fields = {"cluster": None, "tags": (), "arm": None, "final": None} | more
    names = {"p": "pass", "f": "fail", "t": "tie"}
    ratings = tuple(Rating(f"r{n}", names[letter]) for n, letter in enumerate(people))
    return VoteItem(id=str(name), ratings=ratings, votes=tuple(votes), **fields)


def votes_file(items: list[VoteItem], labels: tuple[str, ...] = LABELS) -> VoteFile:
    return VoteFile(path="votes.jsonl", sha256="0" * 64, n_rows=len(items), labels=labels, items=tuple(items))


def audited(items: list[VoteItem], settings: VoteAuditSettings = SETTINGS, **more: object) -> JudgeAudit:
    (found,) = audit_votes(votes_file(items, **more), settings).judges
    return found


def status(found: JudgeAudit, part: str) -> str:
    return next(p.status for p in found.parts if p.name == part)


def reason(found: JudgeAudit, part: str) -> str:
    return next(p.reason for p in found.parts if p.name == part)


def other(label: str) -> str:
    return "fail" if label == "pass" else "pass"


def population(
    n: int = 300, *, wrong: float = 0.05, flips: float = 0.0, noise: float = 0.05, seed: int = 1, **more
) -> list[VoteItem]:
    """Two people who err now and then, and a judge with two votes that errs and flips as often as told."""
    rng = np.random.default_rng(seed)
    items = []
    for number in range(n):
        truth = "pass" if rng.random() < 0.5 else "fail"
        people = "".join((truth if rng.random() >= noise else other(truth))[0] for _ in range(2))
        said = truth if rng.random() >= wrong else other(truth)
        again = said if rng.random() >= flips else other(said)
        items.append(item(number, [vote(said), vote(again, repeat=1)], people, **more))
    return items


def test_a_judge_as_good_as_people_is_fit():
    found = audited(population())

    assert (found.status, found.reasons) == ("fit", ())


def test_a_judge_that_people_contradict_more_than_each_other_is_unfit():
    found = audited(population(wrong=0.4))

    assert found.status == "unfit"
    assert status(found, "people") == "fail"


def test_a_judge_that_is_no_worse_than_divided_people_is_not_blamed():
    found = audited(population(wrong=0.3, noise=0.3))

    assert status(found, "people") == "pass"


def test_a_judge_that_always_passes_is_no_better_than_chance():
    items = [item(n, [vote("pass"), vote("pass", repeat=1)], "ff" if n < 5 else "pp") for n in range(100)]
    found = audited(items)

    assert found.agreement.comparisons[0].readable.rate == 0.95
    assert status(found, "chance") == "fail"
    assert found.status == "unfit"


def test_people_with_one_label_leave_kappa_without_a_number():
    items = [item(n, [vote("pass"), vote("pass", repeat=1)], "pp") for n in range(50)]
    found = audited(items)

    kappa = found.agreement.coefficients[0]
    assert kappa.estimate is None
    assert "0/0" in kappa.reason
    assert status(found, "chance") == "not_audited"
    assert found.status == "not_audited"


def test_a_judge_that_flips_is_unfit():
    found = audited(population(wrong=0.0, flips=0.4))

    assert status(found, "repeats") == "fail"
    assert found.repeats.flip_rate.estimate == pytest.approx(0.4, abs=0.08)


def test_a_judge_that_was_asked_once_is_not_fit():
    items = [
        item(i.id, list(i.votes[:1]), i.ratings[0].label[0] * 2) for i in population(wrong=0.0, noise=0.02)
    ]
    found = audited(items)

    assert found.status == "not_audited"
    assert found.reasons == ("repeats: not audited, no item was asked about twice in one order",)


def test_a_judge_that_is_harsher_on_one_arm_is_unfit():
    even = population(200, wrong=0.02, arm="baseline")
    harsh = population(200, wrong=0.25, seed=2, arm="candidate")
    items = [i._replace(id=f"{i.arm}/{i.id}") for i in even + harsh]

    assert status(audited(items), "arms") == "fail"


def test_one_rater_is_no_ceiling_and_the_reason_says_what_would_do():
    items = [item(i.id, list(i.votes), i.ratings[0].label[0]) for i in population()]
    found = audited(items)

    assert (found.status, status(found, "people")) == ("not_audited", "not_audited")
    assert "--min-agreement" in reason(found, "people")
    with_floor = audited(items, VoteAuditSettings(min_agreement=0.8))
    assert (with_floor.status, status(with_floor, "floor")) == ("fit", "pass")
    assert audited(items, VoteAuditSettings(min_agreement=0.99)).status == "unfit"


def test_a_file_without_people_is_not_audited():
    found = audited([item(n, [vote("pass"), vote("pass", repeat=1)]) for n in range(30)])

    assert found.status == "not_audited"
    assert reason(found, "people") == "the file has no label by a person"


def test_a_file_without_votes_is_not_audited():
    audit = audit_votes(votes_file([item(1, [], "pp")]), SETTINGS)

    assert (audit.status, audit.judges) == ("not_audited", ())
    assert audit.notes == ("the file holds no vote of a judge: nothing is audited",)


def test_silence_is_counted_and_too_much_of_it_is_unfit():
    items = population(200)
    silent = [i._replace(votes=(vote(None), vote(None, repeat=1))) for i in items[:40]]
    found = audited(silent + items[40:])

    assert dict(found.no_verdicts) == {"unreadable": 80}
    majority = next(c for c in found.agreement.comparisons if c.reference == "majority")
    assert majority.every.of == majority.readable.of + majority.n_no_verdict
    assert status(found, "verdicts") == "fail"


def test_votes_added_where_the_first_ones_differed_do_not_change_the_flip_rate():
    steady = [item(n, [vote("pass"), vote("pass", repeat=1)]) for n in range(80)]
    wavering = [item(100 + n, [vote("pass"), vote("fail", repeat=1)]) for n in range(20)]
    more = [i._replace(votes=(*i.votes, *(vote("pass", repeat=2 + k) for k in range(8)))) for i in wavering]

    assert audited(steady + more).repeats.flip_rate == audited(steady + wavering).repeats.flip_rate
    assert audited(steady + more).repeats.n_votes_an_item == (2, 10)


def pairs(n_same: int, n_first: int, n_second: int, n_tied: int = 0) -> list[VoteItem]:
    kinds = ["xx"] * n_same + ["xy"] * n_first + ["yx"] * n_second + ["xt"] * n_tied
    names = {"x": "x", "y": "y", "t": "tie"}
    return [item(n, [vote(names[a], first="x"), vote(names[b], first="y")]) for n, (a, b) in enumerate(kinds)]


XY = ("x", "y", "tie")


def test_a_lover_of_the_first_place_is_found():
    found = audited(pairs(60, 40, 0), labels=XY)

    assert (status(found, "order"), status(found, "place")) == ("fail", "fail")
    assert (found.order.to_first.n, found.order.to_first.of) == (40, 40)
    assert found.order.slot_effect.estimate == 0.4


def test_reversals_both_ways_are_inconsistent_and_no_lean():
    order = audited(pairs(300, 5, 5), labels=XY).order

    assert order.inconsistent.n == 10
    assert order.slot_effect.estimate == 0
    assert order.pvalue == 1.0


def test_a_tie_in_one_order_is_inconsistent_and_not_reversed():
    order = audited(pairs(90, 1, 2, n_tied=7), labels=XY).order

    assert (order.inconsistent.n, order.reversed.n) == (10, 3)


def test_a_pair_without_a_label_in_one_order_is_left_out_and_counted():
    items = [*pairs(9, 0, 0), item("silent", [vote("x", first="x"), vote(None, first="y")])]
    order = audited(items, labels=XY).order

    assert (order.n_pairs, order.n_incomplete) == (9, 1)


def test_verdicts_put_together_from_both_orders_cannot_show_the_place():
    items = [item(n, [vote("x", both_orders=True)]) for n in range(8)]
    items += [item(8, [vote(None, both_orders=True, reason=INCONSISTENT)])]
    items += [item(9, [vote(None, both_orders=True)])]
    found = audited(items, labels=XY)

    assert (found.order.inconsistent.n, found.order.inconsistent.of) == (1, 9)
    assert found.order.n_incomplete == 1
    assert found.order.slot_effect.estimate is None
    assert status(found, "place") == "not_audited"


def test_the_two_orders_of_a_pair_are_not_repeats():
    assert audited(pairs(5, 5, 0), labels=XY).repeats is None


def test_ordered_labels_bring_the_weighted_coefficients():
    labels = ("0", "1", "2")
    items = [item(n, [vote(labels[n % 3])], final=labels[(n + (n % 5 == 0)) % 3]) for n in range(60)]
    found = audited(items, VoteAuditSettings(ordered=True), labels=labels)

    assert [c.of for c in found.agreement.coefficients] == [
        "cohen_kappa",
        "gwet_ac1",
        "cohen_kappa_linear",
        "gwet_ac2_linear",
        "cohen_kappa_quadratic",
        "gwet_ac2_quadratic",
    ]


def test_changed_scores_need_a_pass_mark_to_become_flips():
    items = [
        item(n, [vote(None, reason=None, score=7.0), vote(None, repeat=1, reason=None, score=8.0)])
        for n in range(20)
    ]
    found = audited(items, labels=())

    assert (found.scores.changed.n, found.scores.change.estimate, found.scores.pass_flips) == (20, 1.0, None)
    assert "--pass-at" in reason(found, "repeats")


def test_three_people_allow_the_annotator_test_and_two_do_not():
    three = [
        item(i.id, list(i.votes), i.ratings[0].label[0] * 2 + i.ratings[1].label[0]) for i in population()
    ]

    assert audited(three).agreement.annotator_test.winning_rate == 1.0
    test = audited(population()).agreement.annotator_test
    assert test.winning_rate is None
    assert [human.human for human in test.humans] == ["r0", "r1"]


def drifted(n_changed: int, n: int = 20) -> tuple[VoteFile, VoteFile]:
    then = [item(k, [vote("pass" if k % 2 else "fail")], "pp" if k % 2 else "ff") for k in range(n)]
    now = [i._replace(votes=(vote(other(i.votes[0].label)),)) if int(i.id) < n_changed else i for i in then]
    return votes_file(then), votes_file(now)


@pytest.mark.parametrize(("n_changed", "wanted"), [(8, "fail"), (1, "undecided")])
def test_eight_of_twenty_changed_labels_are_drift_and_one_is_not(n_changed, wanted):
    then, now = drifted(n_changed)
    (found,) = audit_votes(now, SETTINGS, against=then).judges

    assert status(found, "drift") == wanted
    assert (found.drift.only_then, found.drift.only_now) == (n_changed, 0)
    assert len(found.drift.flips) == n_changed


def test_the_same_labels_again_are_no_drift():
    then, now = drifted(0, n=100)
    (found,) = audit_votes(now, SETTINGS, against=then).judges

    assert status(found, "drift") == "pass"


def test_labels_that_change_with_equal_accuracy_are_drift_all_the_same():
    then = [item(k, [vote("pass" if k < 8 else "fail")], "pp" if k % 2 else "ff") for k in range(20)]
    now = [i._replace(votes=(vote(other(i.votes[0].label) if int(i.id) < 8 else "fail"),)) for i in then]
    (found,) = audit_votes(votes_file(now), SETTINGS, against=votes_file(then)).judges

    assert found.drift.accuracy_change.estimate == 0
    assert status(found, "drift") == "fail"


def test_an_earlier_file_of_other_items_shows_no_drift_and_no_peace():
    then, now = drifted(0)
    strangers = votes_file([i._replace(id=f"x{i.id}") for i in then.items])
    (found,) = audit_votes(now, SETTINGS, against=strangers).judges

    assert status(found, "drift") == "not_audited"
    assert found.drift.n_not_comparable == 40


def interval(low: float, high: float) -> IntervalBlock:
    return IntervalBlock(low=low, high=high, confidence_level=0.95, method="m")


def test_a_part_passes_or_fails_with_its_whole_interval():
    assert [above(interval(*i), 0.5) for i in ((0.5, 0.6), (0.3, 0.49), (0.4, 0.6))] == [
        "pass",
        "fail",
        "undecided",
    ]
    assert [below(interval(*i), 0.5) for i in ((0.4, 0.5), (0.51, 0.6), (0.4, 0.6))] == [
        "pass",
        "fail",
        "undecided",
    ]
    assert [within(interval(*i), 0.1) for i in ((-0.1, 0.1), (0.11, 0.2), (-0.3, -0.11), (0.0, 0.2))] == [
        "pass",
        "fail",
        "fail",
        "undecided",
    ]
    assert above(None, 0.5) == below(None, 0.5) == "undecided"


def test_the_interval_of_a_judge_without_a_lean_rarely_fails_it():
    found: list[VoteAudit] = [
        audit_votes(votes_file(population(150, seed=seed)), SETTINGS) for seed in range(25)
    ]

    assert sum(audit.status == "unfit" for audit in found) <= 1
    bad = [audit_votes(votes_file(population(150, wrong=0.4, seed=seed)), SETTINGS) for seed in range(25)]
    assert sum(audit.status == "unfit" for audit in bad) >= 24


def test_verdicts_put_together_from_both_orders_are_not_repeats_of_one_order():
    items = [item(n, [vote("x", both_orders=True), vote("y", repeat=1, both_orders=True)]) for n in range(9)]

    assert audited(items, labels=XY).repeats is None


def test_a_judge_that_became_better_did_not_fail_by_it():
    then = [item(k, [vote("fail")], "pp" if k < 20 else "ff") for k in range(200)]
    now = [i._replace(votes=(vote("pass"),)) if int(i.id) < 10 else i for i in then]
    (found,) = audit_votes(votes_file(now), SETTINGS, against=votes_file(then)).judges

    assert found.drift.pvalue < 0.05
    assert (found.drift.only_then, found.drift.only_now) == (0, 10)
    assert status(found, "drift") == "pass"
