"""Who answered when, and whether a name was resolved as in an earlier run."""

import pytest

from harness.audits import audit_routing
from harness.domain.calls import Subject
from harness.domain.cases import Case
from harness.domain.fitness import Compared
from harness.domain.order import interleaved
from harness.domain.verdicts import CallIdentity
from tests.audits.readings import anchor, endpoint, plan, reading

CASES = tuple(Case(id=f"c{i}", prompt="p") for i in range(20))


def test_calls_are_counted_by_tenths_of_the_order_of_asking_whatever_the_clock_says():
    asked = plan(cases=CASES, answers=2)
    calls = []
    for number, (case, arm, repeat) in enumerate(interleaved(CASES, repeats=2, seed=1)):
        model = "a-1" if number < 40 else "a-2"
        subject = Subject(kind="case", id=case.id, arm=arm)
        # Times run backwards: only the place in the plan counts.
        calls.append(CallIdentity(arm, subject, repeat, model, None, 10_000 - number))

    rows = audit_routing(asked, reading(identities=calls)).by_time

    assert [(row.endpoint, row.model, row.by_tenth) for row in rows] == [
        ("baseline", "a-1", (4, 4, 4, 4, 4, 0, 0, 0, 0, 0)),
        ("baseline", "a-2", (0, 0, 0, 0, 0, 4, 4, 4, 4, 4)),
        ("candidate", "a-1", (4, 4, 4, 4, 4, 0, 0, 0, 0, 0)),
        ("candidate", "a-2", (0, 0, 0, 0, 0, 4, 4, 4, 4, 4)),
    ]


def test_votes_stand_where_their_answer_stands_and_anchors_are_spread():
    asked = plan(cases=CASES, anchors=[anchor(f"a{i}", "pass") for i in range(10)], votes=1)
    last = list(interleaved(CASES, repeats=1, seed=1))[-1]
    votes = [
        CallIdentity("judge", Subject(kind="case", id=last[0].id, arm=last[1], answer=0), 0, "j-1", None, 0),
        *(CallIdentity("judge", Subject(kind="anchor", id=f"a{i}"), 0, "j-2", None, 0) for i in range(10)),
        CallIdentity("judge", Subject(kind="canary", id="k"), 0, "j-3", None, 0),
    ]

    rows = {row.model: row.by_tenth for row in audit_routing(asked, reading(identities=votes)).by_time}

    assert rows == {
        "j-1": (0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
        "j-2": (1,) * 10,
        "j-3": (1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    }


def test_an_endpoint_with_one_identity_has_no_table_and_a_thousand_have_fifty_rows():
    steady = [CallIdentity("candidate", Subject(kind="case", id="c0", arm="candidate"), 0, "b", None, 0)]
    many = [
        CallIdentity("baseline", Subject(kind="case", id="c0", arm="baseline"), 0, "a", f"f{i}", 0)
        for i in range(1000)
    ]

    found = audit_routing(plan(cases=CASES), reading(identities=[*steady, *many]))

    assert {row.endpoint for row in found.by_time} == {"baseline"}
    assert (len(found.by_time), found.n_identities_left_out) == (50, 950)


def resolved(what, then, now):
    return Compared(endpoint="baseline", what=what, then=then, now=now, same=then == now)


CALLS = [
    CallIdentity("baseline", Subject(kind="case", id="c0", arm="baseline"), 0, "a-0202", None, 0),
    CallIdentity("candidate", Subject(kind="case", id="c0", arm="candidate"), 0, "b", None, 0),
    CallIdentity("judge", Subject(kind="anchor", id="a"), 0, "j", None, 0),
]
MOVED = resolved("returned model", "a-0101", "a-0202")


def test_a_name_resolved_otherwise_than_in_an_earlier_run_is_drift():
    found = audit_routing(plan(), reading(identities=CALLS), (resolved("model asked for", "a", "a"), MOVED))

    assert found.status == "fail"
    assert found.reasons[0] == "resolved_otherwise: baseline: returned model was a-0101, is a-0202"
    assert [e.endpoint for e in found.endpoints if e.drifted] == ["baseline"]


@pytest.mark.parametrize("what", ["model asked for", "address"])
def test_another_model_asked_for_is_a_change_and_no_drift(what):
    found = audit_routing(plan(), reading(identities=CALLS), (resolved(what, "x", "y"), MOVED))

    assert found.status == "pass"


def test_a_pinned_id_that_came_back_is_no_drift():
    pinned = plan(baseline=endpoint("a", expect_model="a-0202"))

    assert audit_routing(pinned, reading(identities=CALLS), (MOVED,)).status == "pass"


def test_unknown_is_never_another():
    unknown = Compared(endpoint="baseline", what="returned fingerprint", then="unknown", now="f1", same=None)

    assert audit_routing(plan(), reading(identities=CALLS), (unknown,)).status == "pass"
