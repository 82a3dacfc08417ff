"""A sealed run, read: every answer graded, or the reason why not."""

import json

import pytest
from runs import a_plan, a_response

from harness.domain.calls import Attempt, Evidence, Failure, Response, Subject, Timing
from harness.domain.canonical import sha256_hex, text_digest
from harness.domain.errors import InputError, StoreError
from harness.domain.verdicts import Graded, Verdict
from harness.graders.opened import answer_text, read_vote
from harness.graders.reading import read_run

PASS, FAIL = "Right.\nVERDICT: pass", "Wrong.\nVERDICT: fail"


def name_of(*parts):
    return sha256_hex(repr(parts).encode())


def a_record(role, subject, repeat, came, *, shown=()):
    """One line of evidence; ``came`` is a text, a response or a failure."""
    response = a_response(came) if isinstance(came, str) else came if isinstance(came, Response) else None
    return Evidence(
        request=name_of(role, subject, repeat),
        role=role,
        endpoint="judge" if role == "vote" else str(subject.arm),
        subject=subject,
        repeat=repeat,
        shown=tuple(text_digest(text) for text in shown),
        response=response,
        failure=came if isinstance(came, Failure) else None,
    )


def answer(case, arm, repeat, came):
    return a_record("answer", Subject(kind="case", id=case, arm=arm), repeat, came)


def vote(case, arm, of, repeat, came, *, on):
    subject = Subject(kind="case", id=case, arm=arm, answer=of)
    return a_record("vote", subject, repeat, came, shown=(on,))


def planted(kind, of, repeat, came, *, on):
    return a_record("vote", Subject(kind=kind, id=of), repeat, came, shown=(on,))


def a_body(message, *, finish="stop", **fields):
    body = {"choices": [{"finish_reason": finish, "message": message}], **fields}
    return Response(status=200, body=json.dumps(body))


def small(**fields):
    return a_plan(**{"cases": 1, "answers": 1, "votes": 1, "canaries": 0, "anchors": 0, **fields})


def a_whole_run():
    """Two canary votes, two anchor votes, one case with two answers of each arm and two votes on each."""
    lines = [planted("canary", "k0", n, FAIL, on="3") for n in (0, 1)]
    lines += [planted("anchor", "a0", n, PASS, on="so 0") for n in (0, 1)]
    for repeat in (0, 1):
        for arm in ("baseline", "candidate"):
            lines.append(answer("c0", arm, repeat, f"{arm} {repeat}"))
            said = PASS if arm == "candidate" else FAIL
            lines += [vote("c0", arm, repeat, n, said, on=f"{arm} {repeat}") for n in (0, 1)]
    return a_plan(cases=1, answers=2, votes=2, canaries=1, anchors=1), lines


def timings_of(lines):
    return [
        Timing(request=line.request, attempts=(Attempt(started_ms=100 + n, duration_ms=1),))
        for n, line in enumerate(lines)
    ]


def grade_of(plan, lines, arm="baseline"):
    (case,) = read_run(plan, lines, []).cases
    return getattr(case, arm)[0]


def test_a_whole_run_is_read_in_plan_order():
    plan, lines = a_whole_run()

    reading = read_run(plan, lines, timings_of(lines))

    (case,) = reading.cases
    assert (case.case, case.cluster, case.split, case.weight) == ("c0", "c0", "exploratory", 1.0)
    assert case.baseline == (Graded("fail", None), Graded("fail", None))
    assert case.candidate == (Graded("pass", None), Graded("pass", None))
    assert [(each.repeat, each.verdict.label) for each in reading.canary_votes] == [(0, "fail"), (1, "fail")]
    assert [(each.repeat, each.verdict.label) for each in reading.anchor_votes] == [(0, "pass"), (1, "pass")]
    assert [(each.subject.arm, each.subject.answer, each.repeat) for each in reading.case_votes] == [
        (arm, of, n) for of in (0, 1) for arm in ("baseline", "candidate") for n in (0, 1)
    ]
    assert [each.started_ms for each in reading.identities] == list(range(100, 100 + len(lines)))
    assert [(each.arm, each.repeat) for each in reading.answers] == [
        (arm, repeat) for repeat in (0, 1) for arm in ("baseline", "candidate")
    ]


def test_a_vote_starts_when_its_own_timing_says():
    plan, lines = a_whole_run()
    timings = timings_of(lines)

    reading = read_run(plan, lines, [timings[3], *timings[5:], *timings[:3]])

    assert [each.started_ms for each in reading.canary_votes] == [100, 101]
    assert [each.started_ms for each in reading.anchor_votes] == [102, 103]
    assert reading.identities[4].started_ms == 0


def test_a_note_says_what_the_audits_need_of_an_answer():
    plan = small(templates={"baseline": {"prompt": "Q: $prompt", "system": "Be brief."}, "candidate": {}})
    said = a_body({"content": "héllo"}, usage={"prompt_tokens": 9, "completion_tokens": 2})

    reading = read_run(plan, [answer("c0", "baseline", 0, said)], [])

    (note,) = reading.answers
    assert (note.n_chars, note.text_sha256, note.prompt_tokens) == (5, text_digest("héllo"), 9)
    assert note.expected_prompt_chars == len("Be brief.") + len("Q: Question 0?")


def test_tokens_are_counted_by_endpoint_and_unknown_ones_are_not_nought():
    counted = {"usage": {"prompt_tokens": 5, "completion_tokens": 7}}
    lines = [
        answer("c0", "baseline", 0, a_body({"content": "a"}, **counted)),
        vote("c0", "baseline", 0, 0, a_body({"content": PASS}), on="a"),
        answer("c0", "candidate", 0, Failure(kind="timeout")),
    ]

    assert read_run(small(), lines, []).usage == (
        ("baseline", 1, 5, 7, 0),
        ("judge", 1, 0, 0, 1),
    )


def test_what_was_never_asked_is_not_run():
    reading = read_run(a_plan(cases=2, answers=2, votes=3, canaries=1, anchors=1), [], [])

    never = Verdict(None, "not_run")
    assert {grade for case in reading.cases for grade in (*case.baseline, *case.candidate)} == {
        Graded(None, "not_run")
    }
    assert [len(votes) for votes in (reading.canary_votes, reading.anchor_votes, reading.case_votes)] == [
        3,
        3,
        2 * 2 * 2 * 3,
    ]
    votes = (*reading.canary_votes, *reading.anchor_votes, *reading.case_votes)
    assert {each.verdict._replace(detail="") for each in votes} == {never}
    assert reading.identities == reading.answers == reading.usage == ()


@pytest.mark.parametrize(
    ("came", "reason"),
    [
        (Failure(kind="timeout"), "failed"),
        (a_body({"content": None, "reasoning_content": "so pass"}, finish="length"), "truncated"),
        (a_body({"content": "the an"}, finish="content_filter"), "filtered"),
        (a_body({"content": "", "refusal": "No."}), "refused"),
        (a_body({"content": None}), "unreadable"),
        (Response(status=200, body="<html>"), "unreadable"),
        (Response(status=200, body="/w==", encoding="base64"), "unreadable"),
        (None, "not_run"),
    ],
)
def test_an_answer_without_text_has_its_reason_and_no_votes(came, reason):
    record = answer("c0", "baseline", 0, came)

    reading = read_run(small(), [record], [])

    assert answer_text(record) == (None, reason)
    assert reading.cases[0].baseline == (Graded(None, reason),)
    assert [each.verdict.no_verdict for each in reading.case_votes] == ["not_run", "not_run"]
    assert reading.answers == ()


@pytest.mark.parametrize(
    ("came", "reason"),
    [
        (Failure(kind="timeout"), "failed"),
        (a_body({"content": "VERDICT: pass"}, finish="length"), "truncated"),
        (a_body({"content": None, "reasoning_content": "VERDICT: pass"}), "unreadable"),
        (a_body({"content": "I cannot say."}), "unreadable"),
    ],
)
def test_a_vote_without_a_verdict_is_its_reason_and_never_a_fail(came, reason):
    record = vote("c0", "baseline", 0, 0, came, on="a")
    judge = small().judge
    assert judge is not None

    assert read_vote(judge, record)[:2] == (None, reason)
    assert grade_of(small(), [answer("c0", "baseline", 0, "a"), record]) == Graded(None, reason)


def test_a_vote_that_came_in_parts_is_read_as_one_text():
    parts = [{"type": "text", "text": "VERDICT: "}, {"type": "text", "text": "pass"}]
    lines = [
        answer("c0", "baseline", 0, "a"),
        vote("c0", "baseline", 0, 0, a_body({"content": parts}), on="a"),
    ]

    assert grade_of(small(), lines) == Graded("pass", None)


def test_missing_votes_count_among_those_asked_for():
    plan = small(votes=3)
    lines = [answer("c0", "baseline", 0, "a"), vote("c0", "baseline", 0, 1, PASS, on="a")]

    assert grade_of(plan, lines) == Graded(None, "no_majority")
    assert grade_of(plan, [*lines, vote("c0", "baseline", 0, 2, PASS, on="a")]) == Graded("pass", None)


def test_a_case_with_checks_is_graded_by_them_and_has_no_votes():
    checks = [{"kind": "contains", "texts": ["7"], "need": "all"}]
    plan = small(cases=[{"id": "c0", "prompt": "p", "checks": checks, "tags": ["t"], "cluster": "d"}])

    reading = read_run(plan, [answer("c0", "baseline", 0, "7"), answer("c0", "candidate", 0, "8")], [])

    assert (reading.cases[0].baseline, reading.cases[0].candidate) == (
        (Graded("pass", None),),
        (Graded("fail", None),),
    )
    assert (reading.cases[0].cluster, reading.cases[0].tags) == ("d", ("t",))
    assert reading.case_votes == ()


def test_a_skipped_score_is_no_nought():
    recall = {"kind": "recall", "k": 1, "at_least": 1.0, "ranked": "json"}
    cases = [
        {"id": "c0", "prompt": "p", "checks": [{**recall, "positives": []}]},
        {"id": "c1", "prompt": "q", "checks": [{**recall, "positives": ["a"]}]},
    ]
    lines = [answer("c0", "baseline", 0, '["a"]'), answer("c1", "baseline", 0, '["a"]')]

    reading = read_run(small(cases=cases), lines, [])

    assert [case.baseline[0] for case in reading.cases] == [
        Graded(None, "not_applicable"),
        Graded("pass", None, 1.0),
    ]


def test_canaries_of_the_checks_are_graded_without_a_call():
    canary = {
        "id": "k",
        "prompt": "p",
        "answer": "14",
        "expected": "fail",
        "grader": "checks",
        "why": "an answer outside the choices",
        "checks": [{"kind": "choice", "expected": "B", "choices": ["A", "B"], "at": "whole"}],
    }
    plan = small()
    plan = type(plan).from_json(json.dumps({**plan.model_dump(mode="json"), "canaries": [canary]}))

    reading = read_run(plan, [], [])

    assert reading.checked_canaries == (("k", Graded("fail", None)),)
    assert reading.canary_votes == ()


def test_a_plan_without_a_judge_asks_for_no_votes():
    checks = [{"kind": "json"}]
    plan = small(judge=False, anchors=1, canaries=1, cases=[{"id": "c0", "prompt": "p", "checks": checks}])

    reading = read_run(plan, [answer("c0", "baseline", 0, "1")], [])

    assert reading.cases[0].baseline == (Graded("pass", None),)
    assert (reading.canary_votes, reading.anchor_votes) == ((), ())


def test_an_answer_that_only_a_judge_could_grade_needs_one():
    with pytest.raises(InputError, match="case 'c0' has no checks, and the plan has no judge"):
        read_run(small(judge=False), [answer("c0", "baseline", 0, "a")], [])


def test_a_held_out_case_keeps_its_side():
    plan = a_plan(cases=2, answers=1, canaries=0, anchors=0).model_copy(update={"held_out": ("c1",)})

    assert [case.split for case in read_run(plan, [], []).cases] == ["exploratory", "held_out"]


ANSWER = answer("c0", "baseline", 0, "a")
VOTE = vote("c0", "baseline", 0, 0, PASS, on="a")


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([answer("c9", "baseline", 0, "a")], "case 'c9'"),
        ([planted("anchor", "c0", 0, PASS, on="a")], "anchor 'c0'"),
        ([answer("c1", "baseline", 0, "a"), ANSWER], "case 'c0'"),
        ([ANSWER, ANSWER], "answer 0 about case 'c0', baseline twice"),
        (
            [answer("c0", "baseline", 1, "a")],
            "answer 1 about case 'c0', baseline, which the plan does not ask",
        ),
        ([ANSWER, vote("c0", "baseline", 0, 1, PASS, on="a")], "vote 1 about case 'c0', baseline, answer 0"),
        ([ANSWER, vote("c0", "baseline", 1, 0, PASS, on="a")], "answer 1, which the plan does not ask"),
        ([VOTE], "that answer has no text"),
        ([answer("c0", "baseline", 0, Failure(kind="timeout")), VOTE], "that answer has no text"),
        ([answer("c0", "baseline", 0, "b"), VOTE], "was shown another text"),
    ],
)
def test_evidence_that_contradicts_the_plan_or_itself_is_refused(lines, complaint):
    with pytest.raises(StoreError, match=complaint):
        read_run(small(cases=2), lines, [])


def test_a_canary_vote_about_another_text_is_refused():
    with pytest.raises(StoreError, match="was shown another text"):
        read_run(small(canaries=1), [planted("canary", "k0", 0, PASS, on="another")], [])
