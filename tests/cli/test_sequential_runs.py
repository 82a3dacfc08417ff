"""A sequential run from its plan to its report, and again from its evidence."""

import json

import pytest

from harness.domain.batches import batches
from harness.domain.canonical import canonical_bytes
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.run_dir import read_plan
from harness.store.seal import Sealing, seal_run
from tests.cli.small_project import write_project


def declare(tmp_path, settings="batch = 3", **options):
    """The small project, whose candidate gains on all of its 11 exploratory cases: nine are enough."""
    experiment = write_project(tmp_path / "p", **options)
    experiment.write_text(f"{experiment.read_text()}\n[sequential]\n{settings}\n")
    return experiment


@pytest.fixture
def stopped(harness, tmp_path):
    harness("run", declare(tmp_path, judged=True), "--dir", tmp_path / "run")
    return tmp_path / "run"


def report_of(run):
    return json.loads((run / "report.json").read_bytes())


def case_ids(run):
    return {record.subject.id for record in read_evidence(run) if record.subject.kind == "case"}


def plan_of(run):
    return json.loads((run / "plan.json").read_bytes())


def held_out(run):
    return set(plan_of(run)["held_out"])


def first_batches(run, n):
    return [case.id for batch in batches(read_plan(run))[:n] for case in batch]


def test_check_says_what_the_plan_means(harness, tmp_path):
    experiment = declare(tmp_path)
    found = json.loads(harness("check", experiment, "--json").out)
    told = harness("check", experiment).out

    assert found["sequential"]["calls_at_most"] == found["calls"]["all"] == 48
    assert found["sequential"]["calls_at_least"] == (3 + 13) * 2
    assert found["detectable"] == []
    assert "at the latest after 11 cases; then the 13 held-out cases" in told
    assert "arms that do not differ are told apart in at most 5.0% of runs" in told


def test_a_run_stops_paying_once_the_evidence_is_enough(stopped):
    report = report_of(stopped)
    stop = report["exploratory"]["sequential"]

    assert (stop["ended"], stop["n_batches"], stop["n_batches_planned"]) == ("evidence", 3, 4)
    assert (stop["n_cases"], stop["n_cases_planned"], stop["n_cases_not_asked"]) == (9, 11, 2)
    assert stop["evalue"] == pytest.approx(2**9 * 6 / (11 * 12))
    assert report["decision"]["verdict"] == "improvement"
    assert "stopped_early: by the declared rule after 9 of 11 cases" in report["decision"]["sentence"]
    assert len(case_ids(stopped)) == 9 + 13


def test_cases_behind_the_stop_are_no_missing_verdicts(stopped):
    report = report_of(stopped)
    completeness = report["completeness"]

    assert [arm["n_answers_asked"] for arm in completeness["arms"]] == [9, 9]
    assert [arm["answers_missing"] for arm in completeness["arms"]] == [[], []]
    assert completeness["unpaired_cases"] == []
    assert completeness["n_calls_planned"] == completeness["n_calls_answered"]
    assert report["exploratory"]["primary"]["worst_case"] is None
    assert report["plan"]["n_exploratory"] == 11


def test_every_form_of_the_report_tells_of_the_stop(stopped):
    for name in ("report.html", "summary.md"):
        text = (stopped / name).read_text()
        assert "stopped_early" in text
        assert "ended by the evidence, as the plan declares" in text


def test_the_held_out_cases_are_all_there_and_keep_their_fixed_size(harness, stopped):
    assert harness("open-held-out", stopped, "--yes").code == 0
    held_out = report_of(stopped)["held_out"]

    assert held_out["majority"]["n_cases"] == 13
    assert held_out["majority"]["interval"]["method"].startswith("tango")
    assert held_out["sequential"] is None
    assert "stopped_early" not in report_of(stopped)["decision"]["sentence"]


def test_held_out_cases_that_were_not_asked_cannot_be_opened(harness, tmp_path):
    harness("run", declare(tmp_path, "batch = 3\nask_held_out = false"), "--dir", tmp_path / "run")
    called = harness("open-held-out", tmp_path / "run", "--yes")

    assert len(case_ids(tmp_path / "run")) == 9
    assert (called.code, called.out) == (2, "")
    assert "its plan asks no held-out case" in called.err
    assert not (tmp_path / "p" / "gold" / "small" / "looks.jsonl").exists()


def test_n_max_ends_a_run_that_saw_too_little(harness, tmp_path):
    harness("run", declare(tmp_path, "batch = 3\nn_max = 7"), "--dir", tmp_path / "run")
    report = report_of(tmp_path / "run")
    stop = report["exploratory"]["sequential"]

    assert (stop["ended"], stop["n_cases"], stop["n_cases_not_asked"]) == ("n_max", 7, 0)
    assert report["decision"]["verdict"] != "improvement"
    assert report["completeness"]["arms"][0]["n_answers_asked"] == 7


def test_the_whole_is_rebuilt_from_the_evidence(harness, stopped):
    called = harness("verify", stopped, "--recompute")

    assert "every verdict, estimate and the decision follow from the evidence, byte by byte" in called.out


def test_another_run_of_the_plan_stops_at_the_same_case_with_the_same_evidence(harness, stopped, tmp_path):
    experiment = tmp_path / "p" / "experiment.toml"
    harness("run", experiment, "--dir", tmp_path / "again")

    assert read_manifest(tmp_path / "again").evidence_sha256 == read_manifest(stopped).evidence_sha256


def test_evidence_that_was_cut_before_it_was_enough_is_missing_and_not_stopped(harness, stopped):
    """Whoever drops the last batch and seals the rest has a run that was broken off."""
    lines = list(zip(read_evidence(stopped), read_timings(stopped), strict=True))
    order = [line for line in lines if line[0].subject.kind == "case"]
    last = {record.subject.id for record, _ in order} - set(first_batches(stopped, 2)) - held_out(stopped)
    manifest = read_manifest(stopped)
    kept = [line for line in lines if line[0].subject.id not in last]
    seal_run(
        stopped, kept, Sealing(manifest.plan_sha256, manifest.harness_version, stopped=None, locked=False)
    )
    called = harness("report", stopped)
    report = report_of(stopped)

    assert report["exploratory"]["sequential"]["ended"] == "not_ended"
    assert report["completeness"]["arms"][0]["answers_missing"] == [["not_run", 5]]
    assert report["decision"]["verdict"] == "invalid"
    assert called.code == 3


def test_a_stop_that_the_evidence_does_not_bear_out_is_found(harness, stopped):
    report = report_of(stopped)
    report["exploratory"]["sequential"]["n_cases_not_asked"] = 0
    (stopped / "report.json").write_bytes(canonical_bytes(report))
    called = harness("verify", stopped, "--recompute")

    assert called.code == 4
    assert "exploratory.sequential.n_cases_not_asked" in called.out


def test_compare_says_that_an_arm_comes_from_a_run_that_stopped(harness, stopped):
    called = harness("compare", f"{stopped}@baseline", f"{stopped}@candidate", "--json")

    assert "its sequential run ended by the evidence" in called.out
    assert json.loads(called.out)["exploratory"]["majority"]["n_cases"] == 9


def test_a_budget_that_cut_a_batch_off_did_not_stop_the_run_by_its_rule(harness, tmp_path):
    experiment = declare(tmp_path, "batch = 3", judged=True)
    experiment.write_text(f"{experiment.read_text()}\n[budget]\ncalls = 20\n")
    called = harness("run", experiment, "--dir", tmp_path / "run")
    report = report_of(tmp_path / "run")

    assert called.code == 3
    assert report["exploratory"]["sequential"]["ended"] == "not_ended"
    assert report["decision"]["verdict"] == "invalid"
    assert dict(report["completeness"]["arms"][0]["answers_missing"])["not_run"] > 0
    assert "byte by byte" in harness("verify", tmp_path / "run", "--recompute").out


def test_an_audit_of_a_sequential_plan_asks_no_case_and_has_no_stop(harness, tmp_path):
    harness("audit", declare(tmp_path, judged=True), "--dir", tmp_path / "audit")

    assert report_of(tmp_path / "audit")["exploratory"]["sequential"] is None


def test_a_lock_holds_how_a_run_may_end(harness, tmp_path):
    experiment = declare(tmp_path)
    harness("freeze", experiment)
    experiment.write_text(experiment.read_text().replace("batch = 3", "batch = 4"))
    called = harness("run", experiment, "--dir", tmp_path / "run")

    assert called.code == 4
    assert "experiment.sequential.batch: was 3, is 4" in called.err
