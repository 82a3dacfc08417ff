"""The analysis of one side of the split, on tables small enough to count by hand."""

import random

import pytest

from harness.analysis import analyse
from harness.domain.specs import AnalysisSpec, Guardrail
from tests.analysis.results import case, table_of

SPEC = AnalysisSpec(margin=0.03, seed=1)


@pytest.mark.parametrize(
    ("both", "gain", "loss", "neither", "pvalue", "tolerance"),
    [
        (60, 60, 40, 40, 0.0568879, 1e-7),
        (40, 20, 0, 40, 2 / 2**20, 1e-12),
        (300, 55, 40, 105, 0.1505, 5e-5),
        (1200, 220, 160, 420, 0.0024, 5e-5),
        (60, 7, 11, 18, 0.4807, 5e-5),
        (120, 18, 8, 54, 0.0755, 5e-5),
        (1500, 121, 69, 310, 0.0002, 5e-5),
    ],
)
def test_the_exact_pvalue_is_that_of_the_public_write_ups(both, gain, loss, neither, pvalue, tolerance):
    block = analyse(table_of(both=both, gain=gain, loss=loss, neither=neither), SPEC).majority

    assert (block.gain, block.loss, block.n_cases) == (gain, loss, both + gain + loss + neither)
    assert block.pvalue_exact == pytest.approx(pvalue, abs=tolerance)


def test_old_one_of_three_and_new_two_of_three_on_every_case_is_an_improvement():
    section = analyse([case(f"c{i}", [1, 0, 0], [0, 1, 1]) for i in range(20)], SPEC)

    assert section.primary.verdict == "improvement"
    assert section.mean.difference == pytest.approx(1 / 3, abs=1e-15)


def test_twenty_of_twenty_cases_getting_worse_is_a_regression():
    assert analyse([case(f"c{i}", [1], [0]) for i in range(20)], SPEC).primary.verdict == "regression"


def test_repeats_that_agree_change_no_pvalue_and_no_interval():
    rng = random.Random(5)
    pairs = [(rng.random() < 0.5, rng.random() < 0.7) for _ in range(20)]
    once = analyse([case(f"c{i}", [b], [c]) for i, (b, c) in enumerate(pairs)], SPEC)
    five = analyse([case(f"c{i}", [b] * 5, [c] * 5) for i, (b, c) in enumerate(pairs)], SPEC)

    assert once.majority == five.majority
    assert once.mean == five.mean


def test_an_answer_without_a_verdict_keeps_its_case_and_is_counted():
    section = analyse([case("a", [1], [None]), *table_of(both=5, gain=0, loss=0, neither=0)], SPEC)

    assert section.majority.no_majority == 1
    assert section.majority.n_cases == 5
    assert dict(section.missing[1].reasons) == {"unreadable": 1}


def test_missing_verdicts_that_could_overturn_the_decision_make_it_inconclusive():
    sure = table_of(both=80, gain=20, loss=2, neither=20)
    unsure = [case(f"m{i}", [1], [None]) for i in range(30)]

    assert analyse(sure, SPEC).primary.verdict == "improvement"
    found = analyse(sure + unsure, SPEC).primary
    assert found.verdict == "inconclusive"
    assert found.reasons == ("missing_verdicts_could_overturn: improvement",)
    assert found.worst_case is not None
    assert found.worst_case.low < 0


def test_a_plan_may_count_what_is_missing_as_failed():
    spec = AnalysisSpec(margin=0.03, seed=1, missing="fail")

    block = analyse([case(f"c{i}", [1], [None]) for i in range(10)], spec).majority

    assert (block.loss, block.no_majority) == (10, 0)


def test_nothing_scored_gives_no_number_anywhere():
    section = analyse([], SPEC)

    assert section.primary.difference is None
    assert section.primary.verdict == "inconclusive"
    assert section.majority.pvalue_exact is None
    assert section.mean.baseline_mean is None
    assert section.planning.minimum_detectable_effect is None


def test_one_case_gives_no_standard_error_and_no_decision():
    section = analyse([case("a", [1], [0])], SPEC)

    assert section.mean.standard_error is None
    assert section.primary.verdict == "inconclusive"


def test_many_equal_cases_are_bounded_and_few_equal_cases_say_nothing():
    many = analyse(table_of(both=1000, gain=0, loss=0, neither=0), SPEC)
    few = analyse(table_of(both=20, gain=0, loss=0, neither=0), SPEC)

    assert (many.primary.verdict, many.planning.information) == ("equivalent", "bounded")
    assert (few.primary.verdict, few.planning.information) == ("inconclusive", "no_information")
    assert few.primary.interval is not None
    assert few.primary.interval.low < 0 < few.primary.interval.high


def test_a_certain_effect_below_the_margin_is_named_so():
    section = analyse(table_of(both=50_000, gain=400, loss=200, neither=0), SPEC)

    assert section.primary.verdict == "equivalent"
    assert "below_margin" in section.primary.reasons


def test_clusters_widen_the_interval_and_both_are_shown():
    rows = [case(f"c{i}", [0], [int(i // 10 % 2 == 0)], cluster=f"k{i // 10}") for i in range(200)]
    block = analyse(rows, SPEC).majority

    assert block.n_clusters == 20
    assert block.interval is not None
    assert block.naive_interval is not None
    assert block.interval.method == "plus_two_cr2_score"
    assert block.interval.low < block.naive_interval.low


def test_declared_slices_are_corrected_by_holm_and_the_rest_carry_q_values():
    rows = [case(f"c{i}", [i % 2], [1], tags=("a",) if i < 40 else ("b",)) for i in range(80)]
    spec = AnalysisSpec(margin=0.03, seed=1, slices=("a",))
    found = {block.tag: block for block in analyse(rows, spec).slices}

    assert (found["a"].declared, found["a"].adjustment) == (True, "holm")
    assert (found["b"].declared, found["b"].adjustment) == (False, "benjamini-hochberg")
    assert found["a"].gain == 20


def test_a_guardrail_passes_only_where_its_margin_is_ruled_out():
    guardrails = (Guardrail(name="all", margin=0.05), Guardrail(name="rare", margin=0.05, tag="rare"))
    spec = AnalysisSpec(margin=0.03, seed=1, guardrails=guardrails)
    rows = [case(f"c{i}", [1], [1], tags=("rare",) if i < 5 else ()) for i in range(400)]
    whole, rare = analyse(rows, spec).guardrails

    assert whole.status == "pass"
    assert rare.status == "fail"


def test_flips_list_losses_first_and_count_by_tag():
    rows = [case("g", [0], [1], tags=("x",)), case("l", [1], [0], tags=("x", "y")), case("s", [1], [1])]
    flips = analyse(rows, SPEC).flips

    assert [(flip.case, flip.direction) for flip in flips.cases] == [("l", "loss"), ("g", "gain")]
    assert [(tag.tag, tag.gain, tag.loss) for tag in flips.by_tag] == [("x", 1, 1), ("y", 0, 1)]


def test_flaky_cases_disagree_with_themselves_at_least_twice():
    rows = [case("steady", [1, 1, 1, 1, 0], [1] * 5), case("flaky", [1, 1, 0, 0, 1], [1] * 5)]
    flaky = analyse(rows, SPEC).flaky

    assert flaky.n_flaky == 1
    assert flaky.headline.difference == pytest.approx((0.2 + 0.4) / 2)
    assert flaky.flaky.contribution == pytest.approx(0.4 / 2)
    assert flaky.stable.contribution == pytest.approx(0.2 / 2)


def test_the_order_of_the_cases_changes_nothing():
    rng = random.Random(3)
    rows = [
        case(f"c{i}", [rng.randint(0, 1) for _ in range(3)], [rng.randint(0, 1) for _ in range(3)])
        for i in range(150)
    ]
    shuffled = rng.sample(rows, len(rows))
    one, other = analyse(rows, SPEC), analyse(shuffled, SPEC)

    assert one.majority == other.majority
    assert one.mean.interval == other.mean.interval
    assert one.mean.pvalue_permutation == other.mean.pvalue_permutation
