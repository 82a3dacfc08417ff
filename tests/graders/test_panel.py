"""Several judges on one answer: the majority of judges, one of them alone, and the panel without one."""

import pytest
from panels import as_panel, asked
from runs import a_plan, evidence_of, run

from harness.backends.scripted import ScriptedBackend
from harness.domain.cases import Anchor, Review
from harness.domain.errors import StoreError
from harness.domain.verdicts import graded
from harness.graders.panel import SeenRun
from harness.graders.reading import read_run
from harness.graders.votes import grade_by_panel
from harness.store.memory import MemoryStore

PASS, FAIL, NONE = graded("pass"), graded("fail"), graded(None, "no_majority")
UNREAD = graded(None, "unreadable")


@pytest.mark.parametrize(
    ("judges", "outcome", "reason"),
    [
        ([PASS, PASS, FAIL], "pass", None),
        ([FAIL, PASS, FAIL], "fail", None),
        ([PASS, FAIL], None, "no_majority"),  # an even panel that is split
        ([PASS, PASS, NONE], "pass", None),
        ([PASS, NONE, NONE], None, "no_majority"),  # one of three is no majority
        ([PASS, FAIL, UNREAD], None, "no_majority"),
        ([UNREAD, UNREAD], None, "unreadable"),  # the one reason that all share
        ([PASS, PASS, FAIL, FAIL], None, "no_majority"),
    ],
)
def test_more_than_half_of_the_judges_asked_decide(judges, outcome, reason):
    assert grade_by_panel(judges, scored=False)[:2] == (outcome, reason)


def test_the_panels_score_is_the_mean_of_its_judges_on_one_scale_only():
    judges = [graded("pass", None, 9.0), graded("pass", None, 6.0)]

    assert grade_by_panel(judges, scored=True).score == 7.5
    assert grade_by_panel(judges, scored=False).score is None
    assert grade_by_panel([judges[0], graded("fail")], scored=True).score is None


def disagreeing(request):
    """The arms answer; x passes what the candidate says, y everything, z nothing."""
    if request.role == "answer":
        return f"from {request.endpoint}"
    if request.endpoint == "judge:x":
        return "VERDICT: pass" if "from candidate" in request.body else "VERDICT: fail"
    return {"judge:y": "VERDICT: pass", "judge:z": "VERDICT: fail"}[request.endpoint]


def outcomes(cases):
    return [(case.baseline[0].outcome, case.candidate[0].outcome) for case in cases]


def test_the_panel_passes_what_two_of_three_judges_pass():
    reading = asked(as_panel(a_plan(cases=2, answers=1, votes=3), "x", "y", "z"), disagreeing)

    assert outcomes(reading.cases) == [("fail", "pass")] * 2


def test_each_judge_alone_grades_the_cases_by_its_own_votes():
    plan = as_panel(a_plan(cases=2, answers=1, votes=3), "x", "y", "z")
    reading = asked(plan, disagreeing)
    alone = {judge.name: SeenRun(plan, reading).alone(judge).reading.cases for judge in plan.judges}

    assert outcomes(alone["x"]) == [("fail", "pass")] * 2
    assert outcomes(alone["y"]) == [("pass", "pass")] * 2
    assert outcomes(alone["z"]) == [("fail", "fail")] * 2


def test_without_a_judge_the_others_decide_and_two_that_differ_decide_nothing():
    plan = as_panel(a_plan(cases=2, answers=1, votes=1), "x", "y", "z")
    reading = asked(plan, disagreeing)
    without = {judge.name: SeenRun(plan, reading).cases_without(judge) for judge in plan.judges}

    assert outcomes(without["x"]) == [(None, None)] * 2
    assert outcomes(without["y"]) == [("fail", None)] * 2
    assert outcomes(without["z"]) == [(None, "pass")] * 2


def test_a_judge_of_a_panel_is_seen_as_it_would_be_alone():
    single = a_plan(cases=3, answers=2, votes=3)
    plan = as_panel(single, "x", "y")

    def script(request):
        wavering = request.repeat == 1 and request.subject.kind == "anchor"
        return "VERDICT: fail" if wavering or "answer" not in request.body else "VERDICT: pass"

    alone, seen = asked(single, script), SeenRun(plan, asked(plan, script)).alone(plan.judges[0])

    for part in ("cases", "case_votes", "anchor_votes", "canary_votes", "answers"):
        assert getattr(seen.reading, part) == getattr(alone, part)
    assert {call.endpoint for call in seen.reading.identities} == {"baseline", "candidate", "judge"}


def test_a_vote_of_the_panel_is_the_majority_of_one_judge_or_of_one_repeat():
    plan = as_panel(a_plan(cases=1, answers=1, votes=3, canaries=0, anchors=1), "x", "y", "z")

    def script(request):
        said = {"judge:x": "ppf", "judge:y": "fpp", "judge:z": "fff"}.get(request.endpoint, "ppp")
        return f"VERDICT: {'pass' if said[request.repeat] == 'p' else 'fail'}"

    reading = asked(plan, script)
    by_judge = SeenRun(plan, reading).whole.reading.anchor_votes
    by_repeat = SeenRun(plan, reading).rounds.reading.anchor_votes

    assert [vote.verdict.label for vote in by_judge] == ["pass", "pass", "fail"]
    assert [vote.verdict.label for vote in by_repeat] == ["fail", "pass", "fail"]


def test_judges_of_other_labels_meet_in_pass_and_fail():
    scale = {"labels": ("1", "2", "3"), "passing": ("3",), "scores": (1.0, 2.0, 3.0)}
    anchor = Anchor(
        id="a",
        prompt="p",
        answer="so",
        reviews=(Review(by="r", label="pass"),),
        selection="random",
    )
    plan = as_panel(a_plan(cases=1, answers=1), "x", "y", specs={"y": scale}, anchors=[anchor])
    reading = asked(plan, lambda r: f"VERDICT: {'3' if r.endpoint == 'judge:y' else 'pass'}")
    x, y = (SeenRun(plan, reading).alone(judge) for judge in plan.judges)

    assert reading.anchor_votes[1].verdict.label == "3"
    assert y.reading.anchor_votes[0].verdict.label == "pass"
    assert y.plan.judge.labels == ("pass", "fail")
    assert x.plan.judge == plan.panel[0].spec
    assert outcomes(reading.cases) == [("pass", "pass")]


def test_evidence_of_a_judge_that_is_not_of_the_panel_is_refused():
    plan = as_panel(a_plan(cases=1, answers=1), "x", "y")
    other = as_panel(a_plan(cases=1, answers=1), "x", "z")
    store = MemoryStore()
    backends = {name: ScriptedBackend(lambda r: "VERDICT: pass") for name in other.endpoint_names}
    records = evidence_of(other, store, run(other, store, backends))

    with pytest.raises(StoreError, match="of judge:z about canary"):
        read_run(plan, records, ())
