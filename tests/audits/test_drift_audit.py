"""The same anchors then and now."""

import pytest
from msgspec.structs import replace

from harness.audits import Audited, audit_drift, audit_kept, history_alarms, judge_history
from harness.domain.cases import Anchor, Review
from harness.domain.history import AuditKept, JudgedAnchor
from harness.domain.manifest import Manifest
from harness.inputs.history_file import history_line
from tests.audits.readings import anchor, call, endpoint, plan, reading

N = 20
HUMAN = ["pass" if i % 2 else "fail" for i in range(N)]


def anchors(n=N):
    return [anchor(f"a{i:03}", HUMAN[i % N], HUMAN[i % N]) for i in range(n)]


def labels(wrong, n=N):
    other = {"pass": "fail", "fail": "pass"}
    return {f"a{i:03}": [other[HUMAN[i % N]] if i in wrong else HUMAN[i % N]] * 3 for i in range(n)}


def audited(wrong, *, n=N, identities=(), **changes):
    return Audited(
        plan(anchors=anchors(n), **changes), reading(anchors=labels(wrong, n), identities=identities)
    )


def test_eight_flips_of_twenty_at_equal_kappa_are_drift():
    then, now = audited({0, 1, 2, 3}), audited({4, 5, 6, 7})
    found = audit_drift(then, now)

    assert found.kappa_then == found.kappa_now
    assert (found.flip_share.n, found.flip_share.of) == (8, 20)
    assert (found.verdict, found.status) == ("drift", "fail")
    assert found.reasons == ("judge_flipped: 8 of 20 majorities differ, 10% may",)
    assert len(found.flips) == 8


def test_one_flip_of_twenty_is_no_drift_and_no_proof_of_stability():
    found = audit_drift(audited({0}), audited(set()))

    assert (found.verdict, found.status) == ("not_shown", "not_audited")
    assert found.reasons[0].startswith("stability_not_shown: 1 of 20")


def test_many_anchors_without_a_flip_are_shown_to_be_stable():
    found = audit_drift(audited({0}, n=200), audited({0}, n=200))

    assert (found.verdict, found.status, found.reasons) == ("stable", "pass", ())
    assert (found.both_correct, found.neither_correct) == (199, 1)


def test_flips_in_one_direction_are_drift_although_few():
    then, now = audited(set(), n=200), audited(set(range(0, 20, 2)), n=200)
    found = audit_drift(then, now)

    assert found.flip_share.n == 10
    assert (found.to_pass, found.to_fail) == (10, 0)
    assert any(reason.startswith("leniency_moved") for reason in found.reasons)


def test_an_anchor_whose_text_changed_is_another_anchor():
    then = audited(set())
    edited = [a.model_copy(update={"answer": "b"}) if a.id == "a000" else a for a in anchors()]
    now = Audited(plan(anchors=edited), reading(anchors=labels(set())))

    assert (audit_drift(then, now).n_anchors, audit_drift(then, now).n_not_comparable) == (19, 1)


def test_runs_without_a_common_anchor_are_not_audited():
    other = Anchor(
        id="z", prompt="p", answer="a", reviews=(Review(by="r", label="pass"),), selection="random"
    )
    found = audit_drift(audited(set()), Audited(plan(anchors=[other]), reading(anchors={"z": ["pass"] * 3})))

    assert found.status == "not_audited"
    assert found.reasons[0].startswith("no_common_anchors")


def calls(judge, arms="m"):
    return [call("judge", judge, 1), call("baseline", arms, 2), call("candidate", arms, 3)]


def printed(found):
    return [replace(call, fingerprint="f") for call in found]


def test_what_moved_is_told_with_its_evidence():
    same = audited(set(), n=200, identities=printed(calls("j-1")))
    drifted = audited(set(range(60)), n=200, identities=printed(calls("j-1")))
    renamed = audited(set(), n=200, identities=printed(calls("j-2")))
    moved = audited(set(), n=200, identities=printed(calls("j-1", arms="m2")))
    both = audited(set(), n=200, identities=printed(calls("j-2", arms="m2")))

    assert audit_drift(same, same).attribution == "neither_changed"
    assert audit_drift(same, drifted).attribution == "judge_changed"
    assert audit_drift(same, renamed).attribution == "judge_changed"
    assert "judge: returned model changed from j-1 to j-2" in audit_drift(same, renamed).evidence
    assert audit_drift(same, moved).attribution == "backend_changed"
    assert audit_drift(same, both).attribution == "both_changed"


def test_ids_that_did_not_come_back_are_unknown_and_never_equal():
    silent = audited(set(), n=200, identities=calls(None, arms=None))
    found = audit_drift(silent, silent)

    assert found.attribution == "cannot_tell"
    assert "judge: returned model unknown: unknown then, unknown now" in found.evidence


def test_another_setting_of_the_judge_is_a_change_of_the_judge():
    now = audited(set(), judge=endpoint("j", sampling={"temperature": 1}))
    rows = {
        row.what: row.same for row in audit_drift(audited(set()), now).compared if row.endpoint == "judge"
    }

    assert rows["sampling"] is False
    assert rows["prompt"] is True


def entry(at, wrong, n=60, number=1):
    kept = AuditKept(
        at=at,
        plan_sha256="0" * 64,
        evidence_sha256="0" * 64,
        judge_sha256="0" * 64,
        models=("j",),
        fingerprints=(),
        anchors=tuple(
            JudgedAnchor(id=f"a{i}", label="fail" if i in wrong else "pass", right=i not in wrong)
            for i in range(n)
        ),
    )
    return history_line(kept, number=number, previous=None)


def test_a_judge_whose_errors_double_and_double_again_sets_off_the_cusum():
    series = [
        entry(f"2026-0{m}-01", set(range(errors))) for m, errors in enumerate([3, 3, 6, 15, 20], start=1)
    ]
    found = judge_history(series, seed=1)

    assert found.first_alarm == "2026-04-01"
    assert found.run_length_in_control >= 20 * 60
    assert found.slope < 0
    assert [point.correct.n for point in found.points] == [57, 57, 54, 45, 40]


def test_a_steady_judge_sets_off_nothing():
    series = [entry(f"2026-0{m}-01", {3 * m, 3 * m + 1, 3 * m + 2}) for m in range(1, 7)]

    assert judge_history(series, seed=1).first_alarm is None


def test_flips_are_counted_from_one_audit_to_the_next_at_equal_accuracy():
    first, second = judge_history([entry("2026-01-01", {0, 1}), entry("2026-02-01", {2, 3})], seed=1).points

    assert first.flips is None
    assert (second.flips.n, second.flips.of, second.correct.n) == (4, 60, first.correct.n)


def test_slow_decay_makes_the_judge_unfit_before_the_chart_alarms():
    series = [entry(f"2026-0{m}-01", set(range(m + 11))) for m in range(1, 7)]
    found = judge_history(series, seed=1)

    assert (found.first_alarm, found.trend.verdict, found.trend.exact) == (None, "decay", True)
    # One order of the 6! has the steepest fall.
    assert found.trend.pvalue == pytest.approx(1 / 720)
    assert history_alarms(found) == ("slow_decay: right less and less often over 6 audits (p = 0.0014)",)


def test_four_audits_show_no_trend_either_way():
    found = judge_history([entry(f"2026-0{m}-01", set(range(m))) for m in range(1, 5)], seed=1)

    assert found.trend.verdict == "not_audited"
    assert found.trend.reason.startswith("4 audits")


def test_one_audit_is_no_series():
    found = judge_history([entry("2026-01-01", set())], seed=1)

    assert found.reason == "one audit is no series"
    assert found.limit is None


def test_an_audit_is_kept_as_right_or_wrong_on_each_anchor():
    kept = audit_kept(
        plan(anchors=anchors()),
        reading(anchors=labels({0}), identities=[call("judge", "j-1", 1, fingerprint="f")]),
        Manifest(
            plan_sha256="0" * 64,
            evidence_sha256="1" * 64,
            timings_sha256="0" * 64,
            merkle_root="0" * 64,
            n_records=1,
            n_failed=0,
            n_attempts=1,
            n_calls=1,
            complete=True,
            started_at="2026-01-01T00:00:00Z",
            finished_at="2026-01-01T00:01:00Z",
            harness_version="0",
        ),
    )

    assert kept.anchors[:2] == (
        JudgedAnchor(id="a000", label="pass", right=False),
        JudgedAnchor(id="a001", label="pass", right=True),
    )
    assert (kept.models, kept.fingerprints, kept.at) == (("j-1",), ("f",), "2026-01-01T00:01:00Z")
