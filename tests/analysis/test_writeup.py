"""The fixture of a public write-up on paired evaluation, through the public analysis.

Its printed numbers all come again. Three of its sentences do not: its "single run" of +2.10 is the
majority of five runs, the true gain of its flaky fixture is +2.70 and not +3.0, and an unpaired
analysis throws away four fifths of its set, not two thirds.
"""

import pytest

from harness.analysis import analyse
from harness.domain.specs import AnalysisSpec
from harness.stats.paired_difference import pairing_efficiency
from tests.analysis.results import case
from tests.stats import writeup

SPEC = AnalysisSpec(margin=0.03, seed=1)
MEAN = AnalysisSpec(margin=0.03, seed=1, estimand="mean")


def single(n_items, seed):
    verdicts = writeup.single_run(n_items, seed)
    return analyse([case(f"i{i}", [was], [now]) for i, (was, now) in enumerate(verdicts.tolist())], SPEC)


def repeated(candidate_bar, spec=MEAN):
    baseline, candidate = writeup.repeated_runs(20261021, 555, candidate_bar=candidate_bar)
    pairs = zip(baseline.tolist(), candidate.tolist(), strict=True)
    return analyse([case(f"i{i}", was, now) for i, (was, now) in enumerate(pairs)], spec)


def test_the_small_set_prints_five_points_and_a_pvalue_of_0755():
    section = single(200, 20261266)
    block = section.majority

    assert (block.both_pass, block.gain, block.loss, block.both_fail) == (113, 18, 8, 61)
    assert block.difference == pytest.approx(0.05)
    assert block.pvalue_exact == pytest.approx(0.0755, abs=5e-5)
    # The printed interval is a bootstrap; exact, mid-p and bootstrap do not exclude 0, Tango's just does.
    assert block.pvalue_mid == pytest.approx(0.0522, abs=5e-5)
    assert block.interval.low == pytest.approx(0.0000326, abs=2e-6)
    assert block.test_and_interval_agree is False
    assert section.mean.bootstrap.low == pytest.approx(0.0, abs=0.0051)
    assert section.mean.bootstrap.high == pytest.approx(0.100, abs=0.0051)


def test_the_large_set_prints_two_point_six_points_and_a_pvalue_of_0002():
    block = single(2000, 20261022).majority

    assert (block.both_pass, block.gain, block.loss, block.both_fail) == (1105, 121, 69, 705)
    assert block.difference == pytest.approx(0.026)
    assert block.pvalue_exact == pytest.approx(0.0002, abs=5e-5)


def test_an_unpaired_analysis_throws_away_four_fifths_of_the_set():
    found = pairing_efficiency(both=1105, gain=121, loss=69, neither=705)

    assert found.correlation == pytest.approx(0.803, abs=5e-4)
    assert found.variance_ratio == pytest.approx(0.197, abs=5e-4)


def test_what_it_calls_a_single_run_is_the_majority_of_five():
    section = repeated(writeup.CANDIDATE_BAR)
    baseline, candidate = writeup.repeated_runs(20261021, 555, candidate_bar=writeup.CANDIDATE_BAR)
    runs = [round(100 * float((candidate[:, k] - baseline[:, k]).mean()), 2) for k in range(5)]

    assert section.mean.difference == pytest.approx(0.0251, abs=5e-7)
    assert section.majority.difference == pytest.approx(0.0210, abs=5e-7)
    assert (section.majority.gain, section.majority.loss) == (110, 68)
    assert runs == [2.8, 2.75, 1.55, 1.5, 3.95]


def test_the_true_gain_of_the_flaky_fixture_is_two_point_seven_and_the_interval_holds_it():
    interval = repeated(writeup.CANDIDATE_BAR).primary.interval

    # One item in ten is a coin toss in both arms: 0.9 times three points.
    assert interval.low < 0.9 * 0.03 < interval.high


def test_its_stable_number_is_biased_and_cross_fitting_says_so():
    flaky = repeated(writeup.CANDIDATE_BAR).flaky

    assert flaky.n_flaky == 382
    assert flaky.stable.difference == pytest.approx(0.0103, abs=5e-5)
    assert flaky.cross_fitted_stable.difference > flaky.stable.difference
    assert flaky.headline.difference == pytest.approx(0.0251, abs=5e-7)


def test_the_null_fixture_is_no_finding():
    section = repeated(writeup.BASELINE_BAR)

    assert section.mean.difference == pytest.approx(0.0017, abs=5e-7)
    assert section.majority.difference == pytest.approx(-0.0020, abs=5e-7)
    assert section.primary.verdict == "equivalent"
