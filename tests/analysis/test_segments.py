"""Answers paired again by who gave them, combined, compared, and what the plan's policy makes of it."""

import pytest

from harness.analysis import analyse, answerers
from harness.analysis.routing_policy import routing_gate, routing_notes
from harness.domain.calls import Subject
from harness.domain.case_blocks import HomogeneityBlock, SegmentsBlock
from harness.domain.findings import EndpointIdentity, RoutingFinding
from harness.domain.specs import AnalysisSpec
from harness.domain.verdicts import CallIdentity
from tests.analysis.results import case

SPEC = AnalysisSpec(margin=0.03, seed=1)


def call(case_id, arm, repeat, model, fingerprint=None):
    subject = Subject(kind="case", id=case_id, arm=arm)
    return CallIdentity(arm, subject, repeat, model, fingerprint, 0)


def both(case_id, repeat, baseline, candidate):
    return [call(case_id, "baseline", repeat, baseline), call(case_id, "candidate", repeat, candidate)]


def test_a_change_between_two_rounds_splits_every_case_and_no_pair():
    cases = [case(f"c{i}", [0, 1], [1, 1]) for i in range(8)]
    calls = [c for i in range(8) for c in (*both(f"c{i}", 0, "a-1", "b"), *both(f"c{i}", 1, "a-2", "b"))]

    block = analyse(cases, SPEC, who=answerers(calls)).segments

    assert [(s.baseline_models, s.n_pairs, s.gain, s.difference) for s in block.segments] == [
        (("a-1",), 8, 8, 1.0),
        (("a-2",), 8, 0, 0.0),
    ]
    assert block.n_straddling == 8
    assert block.combined is not None
    assert (block.combined.difference, block.combined.n_pairs, block.combined.n_cases) == (0.5, 16, 8)


def test_segments_that_differ_wholly_have_a_narrow_combined_interval_and_a_small_pvalue():
    cases = [case(f"c{i}", [0], [int(i < 30)]) for i in range(60)]
    calls = [c for i in range(60) for c in both(f"c{i}", 0, "a", "b-1" if i < 30 else "b-2")]

    section = analyse(cases, SPEC, who=answerers(calls))
    block = section.segments

    assert block.pooled == section.majority.difference == 0.5
    assert block.homogeneity is not None
    assert block.homogeneity.pvalue == 0.001
    # Within segments nothing varies; the pooled interval holds the difference between them as well.
    assert block.combined is not None
    assert block.combined.interval is not None
    assert section.majority.interval is not None
    width = block.combined.interval.high - block.combined.interval.low
    assert 0 < width < (section.majority.interval.high - section.majority.interval.low) / 2


def test_an_unknown_answerer_is_in_no_segment():
    cases = [case(f"c{i}", [0], [1]) for i in range(4)]
    calls = [
        *both("c0", 0, "a", "b"),
        *both("c1", 0, None, "b"),
        *both("c2", 0, None, "b"),
        *both("c3", 0, "a", "b"),
    ]

    block = analyse(cases, SPEC, who=answerers(calls)).segments

    assert [s.n_cases for s in block.segments] == [2]
    assert block.n_unknown == 2


def test_a_null_fingerprint_is_not_the_one_before_it():
    calls = [call("c0", "baseline", 0, "a", "f1"), call("c1", "baseline", 0, "a", None)]

    who = answerers([*calls, call("c0", "candidate", 0, "b"), call("c1", "candidate", 0, "b")])

    assert who.by_call["c0", "baseline", 0] == "a f1"
    assert who.by_call["c1", "baseline", 0] is None
    assert who.by_call["c1", "candidate", 0] == "b"


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ([], "who answered is not known"),
        (both("c0", 0, None, None), "who answered is not known"),
        (both("c0", 0, "a", "b"), "the same models answered throughout"),
    ],
)
def test_one_answerer_throughout_makes_no_segments(calls, reason):
    assert analyse([case("c0", [0], [1])], SPEC, who=answerers(calls)).segments.reason == reason


def drifted(endpoint):
    return RoutingFinding(
        status="fail",
        policy="segment",
        endpoints=(
            EndpointIdentity(
                endpoint=endpoint,
                asked_model="m",
                expected_model=None,
                n_calls=2,
                models=(("m-1", 1), ("m-2", 1)),
                fingerprints=(),
                n_model_unknown=0,
                n_fingerprint_unknown=2,
                n_changes=1,
                matches=True,
                drifted=True,
            ),
        ),
        reasons=("model_changed: who knows",),
    )


def test_drift_fails_the_gate_unless_the_plan_says_otherwise():
    assert routing_gate(drifted("baseline"), "fail").status == "fail"
    assert routing_gate(drifted("baseline"), "segment").status == "pass"
    assert routing_gate(drifted("judge"), "accept").status == "pass"


def test_a_judge_that_changed_cannot_be_segmented():
    gate = routing_gate(drifted("judge"), "segment")

    assert gate.status == "fail"
    assert "judge cannot be segmented" in gate.reason


def test_accepted_drift_is_in_the_headline():
    notes = routing_notes(drifted("judge"), "accept", SegmentsBlock(), alpha=0.05)

    assert notes.told == ("routing_accepted: judge drifted, and the plan accepts it",)


def test_segments_that_differ_stand_against_any_claim():
    block = SegmentsBlock(
        homogeneity=HomogeneityBlock(statistic=9.0, n_segments=2, pvalue=0.002, n_resamples=999)
    )

    assert routing_notes(drifted("baseline"), "segment", block, alpha=0.05).against
    assert not routing_notes(drifted("baseline"), "segment", block, alpha=0.001).against


def test_segments_too_small_to_compare_are_told():
    block = SegmentsBlock(homogeneity=HomogeneityBlock(reason="too few"))

    assert "not compared: too few" in routing_notes(drifted("baseline"), "segment", block, alpha=0.05).told[0]
