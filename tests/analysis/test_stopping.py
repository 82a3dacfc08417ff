"""A run that may end after any batch: when it has seen enough, and what its numbers are then."""

import math

import numpy as np
import pytest
from scipy.special import betaln

from harness.analysis import Anytime, analyse, decide, is_enough, sequential_block
from harness.analysis.anytime import CONCENTRATION, FIXED_SIZE
from harness.analysis.section import deciding
from harness.domain.specs import AnalysisSpec, Guardrail
from harness.domain.stopping import Asked, written_evalue
from harness.stats.sequential import difference_confidence_sequence, discordant_evidence
from tests.analysis.results import case, table_of

SPEC = AnalysisSpec(margin=0.05, seed=1)
ALONE = Anytime(largest_cluster=1)


def asked(n_cases, n_planned=100, *, is_whole=True):
    return Asked(
        n_batches=n_cases // 10,
        n_batches_planned=n_planned // 10,
        n_cases=n_cases,
        n_cases_planned=n_planned,
        is_whole=is_whole,
    )


def one_way(n, *, missing=0):
    """Cases that all gain, and cases whose candidate has no verdict."""
    return [
        *(case(f"g{number}", [0], [1]) for number in range(n)),
        *(case(f"m{number}", [1], [None]) for number in range(missing)),
    ]


@pytest.mark.parametrize("gain", range(4, 14))
def test_enough_is_one_over_alpha_and_then_the_interval_leaves_zero_out(gain):
    results = table_of(both=3, gain=gain, loss=0, neither=2)
    primary, _ = deciding(results, SPEC, anytime=ALONE)
    evidence = discordant_evidence(gain=gain, loss=0, concentration=2.0)

    assert is_enough(results, SPEC, ALONE) == (evidence.log_evalue >= math.log(20)) == (gain >= 9)
    assert (primary.verdict == "improvement") == (gain >= 9)
    assert primary.pvalue == pytest.approx(evidence.pvalue, rel=1e-9)


def test_arms_that_do_not_differ_are_told_apart_in_less_than_a_twentieth_of_all_runs():
    """Exactly, by enumeration: the evidence weighed after each of 400 discordant cases."""
    chances = np.array([1.0])  # of 0, 1, 2 ... gains among runs that go on
    stopped = 0.0
    for n in range(1, 401):
        chances = np.convolve(chances, [0.5, 0.5])
        gain = np.arange(n + 1)
        log_evalue = (
            betaln(CONCENTRATION + gain, CONCENTRATION + n - gain) - betaln(CONCENTRATION, CONCENTRATION)
        ) + n * math.log(2)
        over = log_evalue >= math.log(20)
        stopped += float(chances[over].sum())
        chances[over] = 0.0

    assert 0.02 < stopped <= 0.05


@pytest.mark.parametrize(("gain", "loss"), [(9, 0), (30, 11), (4, 4)])
def test_the_evidence_of_the_analysis_is_that_of_the_counts(gain, loss):
    stop = sequential_block(
        table_of(both=7, gain=gain, loss=loss, neither=2), SPEC, ALONE, asked(gain + loss + 9)
    )

    assert stop.log_evalue == pytest.approx(
        betaln(CONCENTRATION + gain, CONCENTRATION + loss)
        - betaln(CONCENTRATION, CONCENTRATION)
        + (gain + loss) * math.log(2),
        abs=1e-8,
    )


def test_the_interval_is_the_confidence_sequence_of_the_counts():
    section = analyse(table_of(both=50, gain=20, loss=6, neither=24), SPEC, anytime=ALONE)
    wanted = difference_confidence_sequence(
        gain=20, loss=6, n_cases=100, confidence_level=0.95, concentration=2.0
    )

    for block in (section.primary, section.majority, section.mean):
        assert (block.interval.low, block.interval.high) == pytest.approx(wanted[:2], abs=1e-9)
        assert block.interval.method == "beta_mixture_confidence_sequence"


def test_nothing_that_holds_at_a_fixed_size_alone_is_left():
    section = analyse(table_of(both=60, gain=30, loss=5, neither=25), SPEC, anytime=ALONE)
    majority, mean, planning = section.majority, section.mean, section.planning

    assert {majority.pvalue_exact, majority.pvalue_mid, majority.naive_interval} == {None}
    assert {mean.standard_error, mean.df, mean.pvalue_permutation, mean.bootstrap} == {None}
    assert {majority.reason, mean.reason, mean.bootstrap_reason, planning.reason} == {FIXED_SIZE}
    assert {planning.minimum_detectable_effect, planning.n_cases_for_margin} == {None}
    assert (majority.gain, majority.loss, majority.difference) == (30, 5, 25 / 120)
    assert planning.information == "resolved"


def test_a_plan_of_a_fixed_size_is_as_it_was():
    results = table_of(both=60, gain=30, loss=5, neither=25)

    assert analyse(results, SPEC) == analyse(results, SPEC, anytime=None)
    assert analyse(results, SPEC).majority.interval.method.startswith("tango")


def test_too_few_cases_differ_for_any_evidence_to_be_enough():
    few, more = table_of(both=40, gain=3, loss=2, neither=5), table_of(both=40, gain=8, loss=7, neither=5)

    assert analyse(few, SPEC, anytime=ALONE).planning.information == "no_information"
    assert analyse(more, SPEC, anytime=ALONE).planning.information == "underpowered"


def test_missing_verdicts_that_could_undo_the_evidence_keep_a_run_going():
    assert is_enough(one_way(10), SPEC, ALONE)
    assert is_enough(one_way(14, missing=1), SPEC, ALONE)
    assert not is_enough(one_way(10, missing=6), SPEC, ALONE)
    assert not is_enough(one_way(0, missing=3), SPEC, ALONE)


def test_a_loss_ends_a_run_as_a_gain_does():
    results = table_of(both=0, gain=0, loss=9, neither=0)

    assert is_enough(results, SPEC, ALONE)
    assert deciding(results, SPEC, anytime=ALONE)[0].verdict == "regression"


def test_one_cluster_is_one_observation():
    as_cases = [case(f"c{n}", [0], [1]) for n in range(12)]
    as_clusters = [case(f"c{n}", [0], [1], cluster=f"u{n // 3}") for n in range(12)]

    assert is_enough(as_cases, SPEC, ALONE)
    assert not is_enough(as_clusters, SPEC, Anytime(largest_cluster=3))


def test_the_mean_of_repeats_is_bet_on_where_it_is_primary():
    spec = AnalysisSpec(estimand="mean", margin=0.05, seed=1)
    results = [case(f"c{n}", [1, 1, 1, 0], [1, 1, 1, 1]) for n in range(30)]

    assert is_enough(results, spec, ALONE)
    assert not is_enough(results, SPEC, ALONE)
    assert deciding(results, spec, anytime=ALONE)[0].verdict == "improvement"


def test_guardrails_and_slices_hold_at_any_stop_too():
    tagged = [case(f"t{n}", [0], [1], tags=("new",)) for n in range(20)]
    spec = AnalysisSpec(
        margin=0.05, seed=1, guardrails=(Guardrail(name="new", margin=0.1, tag="new"),), slices=("new",)
    )
    section = analyse([*tagged, *table_of(both=30, gain=2, loss=2, neither=6)], spec, anytime=ALONE)
    guardrail, part = section.guardrails[0], section.slices[0]

    assert guardrail.status == "pass"
    assert guardrail.interval.method == "one_sided_beta_mixture_confidence_sequence"
    assert guardrail.pvalue < 0.05
    assert part.interval.method == "beta_mixture_confidence_sequence"
    assert part.pvalue == pytest.approx(discordant_evidence(gain=20, loss=0, concentration=2.0).pvalue)


def test_the_decision_says_that_the_run_stopped_early_by_the_declared_rule():
    results = one_way(10)
    stop = sequential_block(results, SPEC, ALONE, asked(10))
    section = analyse(results, SPEC, anytime=ALONE).model_copy(update={"sequential": stop})
    decision = decide(section, (), SPEC, basis="exploratory", n_closed=0)

    assert (stop.ended, stop.n_cases_not_asked, stop.threshold) == ("evidence", 90, 20)
    assert stop.evalue == pytest.approx(math.exp(stop.log_evalue))
    assert decision.verdict == "improvement"
    assert "stopped_early: by the declared rule after 10 of 100 cases" in decision.sentence


def test_a_run_asked_to_its_end_did_not_stop_early():
    results = one_way(3)
    stop = sequential_block(results, SPEC, ALONE, asked(100))
    section = analyse(results, SPEC, anytime=ALONE).model_copy(update={"sequential": stop})

    assert (stop.ended, stop.n_cases_not_asked) == ("n_max", 0)
    assert "stopped_early" not in decide(section, (), SPEC, basis="exploratory", n_closed=0).sentence


def test_a_batch_that_was_cut_off_ends_nothing():
    assert sequential_block(one_way(20), SPEC, ALONE, asked(20, is_whole=False)).ended == "not_ended"
    assert sequential_block(one_way(2), SPEC, ALONE, asked(20)).ended == "not_ended"


def test_an_evalue_is_told_in_words_that_fit():
    def block(n):
        return sequential_block(one_way(n), SPEC, ALONE, asked(n, 2000))

    assert written_evalue(block(9)) == "e-value 23.3"
    assert written_evalue(block(40)) == "e-value 10^9"
    assert written_evalue(block(0)) == "no e-value"
    assert (block(0).evalue, block(0).reason) == (None, "no case is graded in both arms")
    assert (block(1500).evalue, block(1500).reason) == (None, "above 1e300")
