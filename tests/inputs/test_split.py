"""The keyed split: by cluster, stable under additions, and as large as asked for."""

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.cases import Case, Split
from harness.domain.errors import InputError
from harness.domain.specs import SplitSpec
from harness.inputs.split import held_out_ids, side

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12)
pairs = st.lists(st.tuples(names, names), max_size=30, unique_by=lambda pair: pair[0])


def spec(*, held_out: float = 0.3, salt: str = "s", by: str = "cluster") -> SplitSpec:
    return SplitSpec.model_validate({"salt": salt, "held_out": held_out, "by": by})


def case(name: str, cluster: str | None = None, split: Split | None = None) -> Case:
    return Case(id=name, prompt="p", cluster=cluster, split=split)


def cases(found: list[tuple[str, str]]) -> list[Case]:
    return [case(f"id {name}", f"cluster {cluster}") for name, cluster in found]


@given(pairs, pairs)
def test_new_cases_never_move_an_old_one(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> None:
    before = held_out_ids(cases(old), spec())

    added = [case(f"new {name}", f"cluster {cluster}") for name, cluster in new]
    after = held_out_ids([*added, *cases(old)], spec())

    assert {name for name in after if not name.startswith("new ")} == before


@given(pairs, st.randoms())
def test_the_order_of_the_file_changes_nothing(found: list[tuple[str, str]], random: object) -> None:
    shuffled = cases(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert held_out_ids(shuffled, spec()) == held_out_ids(cases(found), spec())


@given(st.lists(names, min_size=2, max_size=10, unique=True), names)
def test_variants_of_one_item_are_all_on_one_side(ids: list[str], cluster: str) -> None:
    held_out = held_out_ids([case(name, cluster) for name in ids], spec(held_out=0.5))

    assert len(held_out) in (0, len(ids))


def test_five_paraphrases_of_one_group_stay_together_for_every_salt() -> None:
    paraphrases = [case(f"p{number}", "group") for number in range(5)]

    sizes = {len(held_out_ids(paraphrases, spec(salt=f"s{salt}"))) for salt in range(50)}

    assert sizes == {0, 5}


def test_the_share_is_the_first_eight_bytes_of_the_hmac() -> None:
    keyed = int.from_bytes(hmac.digest(b"s", b"doc-7", "sha256")[:8], "big") / 2**64

    assert side(case("a", "doc-7"), spec(held_out=keyed + 1e-9)) == "held_out"
    assert side(case("a", "doc-7"), spec(held_out=keyed - 1e-9)) == "exploratory"


def test_a_third_of_many_clusters_is_held_out_and_the_salt_decides_which() -> None:
    many = [case(f"c{number}") for number in range(10_000)]

    first, second = held_out_ids(many, spec()), held_out_ids(many, spec(salt="t"))

    # Four standard deviations of a binomial share around 0.3.
    assert abs(len(first) - 3000) < 4 * (10_000 * 0.3 * 0.7) ** 0.5
    assert abs(len(first & second) - 900) < 4 * (10_000 * 0.09 * 0.91) ** 0.5


@pytest.mark.parametrize(("share", "n_held_out"), [(0.0, 0), (1.0, 500)])
def test_none_and_all_are_exact(share: float, n_held_out: int) -> None:
    many = [case(f"c{number}") for number in range(500)]

    assert len(held_out_ids(many, spec(held_out=share))) == n_held_out


def test_a_case_that_names_its_side_is_there() -> None:
    found = held_out_ids([case("a", split="held_out"), case("b", split="exploratory")], spec(held_out=0.0))

    assert found == {"a"}


def test_a_case_that_would_pull_its_cluster_apart_is_refused() -> None:
    apart = [case("a", "doc"), case("b", "doc", split="held_out")]

    with pytest.raises(
        InputError, match="cluster 'doc' is on both sides of the split: case 'a' is exploratory"
    ):
        held_out_ids(apart, spec(held_out=0.0))


def test_by_case_the_id_decides_and_a_cluster_may_not_straddle() -> None:
    many = [case(f"c{number}", "doc") for number in range(50)]

    with pytest.raises(InputError, match="'doc' is on both sides"):
        held_out_ids(many, spec(by="case"))
    alone = [case(f"c{number}") for number in range(50)]
    assert held_out_ids(alone, spec(by="case")) == held_out_ids(alone, spec(by="cluster"))


def test_two_forms_of_one_name_are_on_one_side() -> None:
    for salt in range(40):
        settings = spec(salt=f"s{salt}", held_out=0.5)
        assert side(case("a", "caf\u00e9"), settings) == side(case("b", "cafe\u0301"), settings)
