"""From estimates to the sentence that is signed, through the public decision."""

import itertools

import pytest

from harness.analysis import analyse, decide
from harness.domain.report import GateBlock
from harness.domain.specs import AnalysisSpec, Guardrail
from harness.domain.verdicts import CaseResult, graded
from tests.analysis.results import case, table_of

SPEC = AnalysisSpec(margin=0.03, seed=1)
MEAN = AnalysisSpec(margin=0.03, seed=1, estimand="mean")
SCORE = AnalysisSpec(margin=0.03, seed=1, estimand="mean", primary="score")
OLD = (0.6, 0.6, 0.5, 0.5, 0.4, 0.4, 0.3, 0.3)
NEW = (0.4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.6)


def decided(results, spec=SPEC, gates=()):
    return decide(analyse(results, spec), gates, spec, basis="exploratory", n_closed=0)


def scored(was, now, *, times=1.0):
    return [
        CaseResult(
            case=f"q{number}",
            cluster=f"q{number}",
            tags=(),
            weight=1.0,
            split="exploratory",
            baseline=(graded("pass", None, old * times),),
            candidate=(graded("pass", None, new * times),),
        )
        for number, (old, new) in enumerate(zip(was, now, strict=True))
    ]


@pytest.mark.parametrize("times", [1.0, 10.0, 0.1])
def test_eight_pairs_of_scores_have_one_permutation_pvalue_in_every_unit(times):
    section = analyse(scored(OLD, NEW, times=times), SCORE)

    assert section.mean.pvalue_permutation == 0.53125
    assert section.mean.difference == pytest.approx(0.05 * times, rel=1e-12)


@pytest.mark.parametrize("spec", [SPEC, MEAN])
def test_one_of_three_to_two_of_three_on_every_case_is_decided_as_an_improvement(spec):
    assert decided([case(f"c{i}", [1, 0, 0], [0, 1, 1]) for i in range(20)], spec).verdict == "improvement"


@pytest.mark.parametrize("spec", [SPEC, MEAN])
def test_twenty_of_twenty_cases_lost_is_decided_as_a_regression(spec):
    assert decided([case(f"c{i}", [1], [0]) for i in range(20)], spec).verdict == "regression"


@pytest.mark.parametrize("spec", [SPEC, MEAN, AnalysisSpec(margin=0.3, seed=1)])
def test_forty_cases_from_five_of_five_to_three_of_five_are_never_no_change(spec):
    rows = [case(f"c{i}", [1] * 5, [1, 1, 1, 0, 0]) for i in range(40)]

    decision = decided(rows, spec)

    assert decision.verdict not in ("equivalent", "non_inferior", "improvement")
    assert decision.verdict == "regression" or any("the_mean_moves: -40.0" in r for r in decision.reasons)


def test_twenty_cases_repeated_five_times_decide_like_twenty_cases():
    pairs = list(itertools.islice(itertools.cycle([(0, 1), (1, 1), (0, 0), (1, 0), (0, 1)]), 20))
    for spec in (SPEC, MEAN):
        once = analyse([case(f"c{i}", [b], [c]) for i, (b, c) in enumerate(pairs)], spec)
        five = analyse([case(f"c{i}", [b] * 5, [c] * 5) for i, (b, c) in enumerate(pairs)], spec)

        assert (once.primary.pvalue, once.primary.interval) == (five.primary.pvalue, five.primary.interval)
        assert once.mean.pvalue_permutation == five.mean.pvalue_permutation


def test_an_interval_decides_equivalence_and_stands_in_the_report():
    primary = analyse(
        table_of(both=480, gain=10, loss=10, neither=0), AnalysisSpec(margin=0.016, seed=1)
    ).primary

    assert primary.verdict == "equivalent"
    assert primary.interval is not None
    assert primary.narrow_interval is not None
    assert primary.narrow_interval.confidence_level == pytest.approx(0.9)
    assert primary.interval.low < -0.016 < primary.narrow_interval.low


def test_behind_a_failed_gate_nothing_is_tested():
    gate = GateBlock(name="canaries", status="fail", reason="one survived")
    spec = AnalysisSpec(margin=0.03, seed=1, guardrails=(Guardrail(name="all", margin=0.05),))

    decision = decided(table_of(both=80, gain=20, loss=1, neither=9), spec, (gate,))

    assert decision.verdict == "invalid"
    behind = {g.name: g for g in decision.gates if g.name != "canaries"}
    assert set(behind) == {"primary", "guardrail: all"}
    assert all(g.status == "not_audited" and g.reason.startswith("not tested") for g in behind.values())


def test_declared_slices_are_not_tested_where_a_guardrail_failed():
    rows = [case(f"a{i}", [0], [1], tags=("a",)) for i in range(60)]
    rows += [case(f"b{i}", [1], [0], tags=("b",)) for i in range(10)]
    guardrails = (Guardrail(name="b holds", margin=0.05, tag="b"),)
    spec = AnalysisSpec(margin=0.03, seed=1, slices=("a",), guardrails=guardrails)
    free = spec.model_copy(update={"guardrails": ()})

    assert analyse(rows, spec).slices[0].standing == "not_tested"
    assert analyse(rows, free).slices[0].standing == "confirmed"
    assert analyse(rows, free).slices[1].standing == "exploratory"


@pytest.mark.parametrize(
    ("table", "margin", "information"),
    [
        ({"both": 20, "gain": 2, "loss": 1, "neither": 20}, 0.03, "no_information"),
        ({"both": 20, "gain": 8, "loss": 5, "neither": 20}, 0.03, "underpowered"),
        ({"both": 400, "gain": 12, "loss": 12, "neither": 400}, 0.03, "bounded"),
        ({"both": 40, "gain": 30, "loss": 2, "neither": 40}, 0.03, "resolved"),
    ],
)
def test_not_significant_says_which_kind_of_not_knowing_it_is(table, margin, information):
    spec = AnalysisSpec(margin=margin, seed=1)

    assert analyse(table_of(**table), spec).planning.information == information


def test_a_certain_mean_below_the_margin_does_not_overturn_equivalence():
    rows = [case(f"s{i}", [1] * 5, [1] * 5) for i in range(1900)]
    rows += [case(f"m{i}", [1] * 5, [1, 1, 1, 0, 0]) for i in range(60)]

    decision = decided(rows, AnalysisSpec(margin=0.05, seed=1))

    assert analyse(rows, SPEC).mean.difference == pytest.approx(-0.4 * 60 / 1960)
    assert decision.verdict == "equivalent"


def test_a_guardrail_on_passes_is_tangos_test_and_one_on_means_knows_clusters():
    spec = AnalysisSpec(
        margin=0.03,
        seed=1,
        guardrails=(
            Guardrail(name="majority", margin=0.1),
            Guardrail(name="mean", margin=0.1, estimand="mean"),
        ),
    )
    rows = [case(f"c{i}", [1], [int(i % 25 != 0)], cluster=f"g{i // 5}") for i in range(200)]
    alone = [row._replace(cluster=row.case) for row in rows]

    majority, mean = analyse(alone, spec).guardrails
    assert majority.interval is not None
    assert mean.interval is not None
    assert (majority.interval.method, mean.interval.method) == ("tango_binomial", "plus_two_cr2_score")
    assert all(
        block.interval and block.interval.method == "plus_two_cr2" for block in analyse(rows, spec).guardrails
    )
    assert majority.pvalue is not None
    assert (majority.pvalue < 0.05) == (majority.interval.low > -0.1)


def test_five_clusters_give_no_interval_to_decide_by():
    rows = [case(f"c{i}", [0], [int(i % 3 > 0)], cluster=f"g{i % 5}") for i in range(100)]

    primary = analyse(rows, SPEC).primary

    assert primary.interval is None
    assert primary.verdict == "inconclusive"
    assert primary.reason == "5 clusters; an interval that may decide needs 6"


def one_giant(gain_share, n_clusters=12):
    """Half of all cases in one cluster, as in benchmarks made of a few repositories."""
    sizes = [120] + [11] * (n_clusters - 1)
    names = [f"g{number}" for number, size in enumerate(sizes) for _ in range(size)]
    return [case(f"c{i}", [int(i % 10 >= gain_share)], [1], cluster=name) for i, name in enumerate(names)]


def test_very_unequal_clusters_show_a_gain_only_where_whole_clusters_flipped_confirm_it():
    section = analyse(one_giant(3), SPEC)

    assert section.primary.verdict == "improvement"
    assert "degrees of freedom" in (section.primary.caution or "")
    assert section.primary.pvalue is not None
    assert section.primary.pvalue >= section.mean.pvalue_permutation == 2 / 2**12


def test_very_unequal_clusters_rule_nothing_out():
    spec = AnalysisSpec(margin=0.5, seed=1, guardrails=(Guardrail(name="all", margin=0.5),))
    section = analyse(one_giant(0), spec)

    assert section.primary.verdict == "inconclusive"
    assert section.primary.reasons[0] == "equivalent_cannot_be_claimed"
    assert section.guardrails[0].status == "not_estimable"


def test_few_cases_are_called_few_and_many_are_not():
    assert "fewer than 40" in (
        analyse(table_of(both=20, gain=5, loss=0, neither=5), SPEC).primary.caution or ""
    )
    assert analyse(table_of(both=40, gain=5, loss=0, neither=5), SPEC).primary.caution is None


def test_a_score_that_hardly_ever_differs_is_refused():
    was = [0.5] * 40
    now = [0.6] * 3 + [0.5] * 37

    primary = analyse(scored(was, now), SCORE).primary

    assert primary.interval is None
    assert "3 of 40 differ" in (primary.reason or "")
