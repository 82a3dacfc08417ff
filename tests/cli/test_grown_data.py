"""Data that grew after a report: the next report says that it is a second one."""

import json

import pytest

from harness.domain.canonical import canonical_bytes
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.seal import Sealing, seal_run
from tests.cli.small_project import write_project


@pytest.fixture
def project(tmp_path):
    return write_project(tmp_path / "p")


def cases_of(project):
    return project.parent / "gold" / "small" / "cases.jsonl"


def keep_cases(project, n):
    path = cases_of(project)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:n]))


def edit(project, was, now):
    text = project.read_text()
    assert was in text
    project.write_text(text.replace(was, now))


def report_of(run):
    return json.loads((run / "report.json").read_bytes())


def grown(run):
    return [reason for reason in report_of(run)["decision"]["reasons"] if reason.startswith("grown_data")]


@pytest.fixture
def first(harness, project, tmp_path):
    """A run on part of the cases, reported on; the file then has all of them."""
    whole = cases_of(project).read_text()
    keep_cases(project, 16)
    harness("run", project, "--dir", tmp_path / "first")
    cases_of(project).write_text(whole)
    return tmp_path / "first"


def test_more_cases_after_a_report_make_an_exploratory_one(harness, first, project, tmp_path):
    called = harness("run", project, "--dir", tmp_path / "second")
    report = report_of(tmp_path / "second")

    assert "grown_data: exploratory, since first was reported on before" in " ".join(called.out.split())
    assert grown(tmp_path / "second")
    assert "grown_data" in report["decision"]["sentence"]
    entry = report["run"]["earlier"][0]
    assert (entry["run"], entry["verdict"]) == ("first", report_of(first)["decision"]["verdict"])
    assert entry["n_cases"] == report_of(first)["plan"]["n_exploratory"]
    assert entry["evidence_sha256"] == read_manifest(first).evidence_sha256
    assert not grown(first)


def test_more_repeats_after_a_report_do_too(harness, project, tmp_path):
    harness("run", project, "--dir", tmp_path / "first")
    edit(project, "answers = 1", "answers = 2")
    replies = project.parent / "replies.jsonl"
    once = replies.read_text().splitlines()
    again = [json.dumps({**json.loads(line), "repeat": 1}) for line in once]
    replies.write_text("\n".join([*once, *again]) + "\n")
    harness("run", project, "--dir", tmp_path / "second")

    assert "answers = 1" in grown(tmp_path / "second")[0]


@pytest.fixture
def broken_off(harness, project, tmp_path):
    """A run that time cut off after a part of its cases, whose gate lets that pass, reported on."""
    project.write_text(f"{project.read_text()}\n[gates]\ncompleteness = 0.3\n")
    run = tmp_path / "run"
    harness("run", project, "--dir", run)
    lines = list(zip(read_evidence(run), read_timings(run), strict=True))
    kept = [line for line in lines if line[0].subject.id < "c14"]
    was = read_manifest(run)
    stopped = "budget: 30 seconds are over"
    seal_run(run, kept, Sealing(was.plan_sha256, was.harness_version, stopped=stopped, locked=False))
    harness("report", run)
    return run


def test_a_run_that_was_reported_on_before_its_end_says_so_at_its_end(harness, broken_off, project):
    assert report_of(broken_off)["decision"]["verdict"] == "inconclusive"
    harness("run", project, "--dir", broken_off)

    assert report_of(broken_off)["exploratory"]["majority"]["n_cases"] == 11
    assert "since run was reported on before" in grown(broken_off)[0]
    assert "broken off (budget: 30 seconds are over)" in grown(broken_off)[0]


def test_a_broken_run_that_comes_no_further_grew_by_nothing(harness, project, tmp_path):
    project.write_text(f"{project.read_text()}\n[gates]\ncompleteness = 0.3\n\n[budget]\ncalls = 40\n")
    for _ in range(2):
        harness("run", project, "--dir", tmp_path / "run")

    assert report_of(tmp_path / "run")["decision"]["verdict"] == "improvement"
    assert (tmp_path / "run" / "earlier.json").exists()
    assert not grown(tmp_path / "run")


def test_a_lock_that_was_written_anew_does_not_hide_it(harness, first, project, tmp_path):
    harness("freeze", project)
    harness("run", project, "--dir", tmp_path / "second", "--locked")

    assert report_of(tmp_path / "second")["plan"]["locked"]
    assert grown(tmp_path / "second")


def test_a_directory_whose_plan_grew_is_refused(harness, first, project):
    before = (first / "report.json").read_bytes()
    called = harness("run", project, "--dir", first)

    assert (called.code, called.out) == (2, "")
    assert "holds a run of another plan" in called.err
    assert (first / "report.json").read_bytes() == before


def test_the_same_plan_again_is_a_repetition_and_grew_by_nothing(harness, project, tmp_path):
    harness("run", project, "--dir", tmp_path / "first")
    harness("run", project, "--dir", tmp_path / "second")

    assert report_of(tmp_path / "second")["run"]["earlier"] == []


def test_another_candidate_is_another_question(harness, first, project, tmp_path):
    edit(project, "[arm.candidate]\n", '[arm.candidate]\nsystem = "Be kind."\n')
    harness("run", project, "--dir", tmp_path / "second")

    assert not grown(tmp_path / "second")


def test_a_report_without_a_verdict_told_nothing(harness, first, project, tmp_path):
    report = report_of(first)
    report["decision"]["verdict"] = "invalid"
    (first / "report.json").write_bytes(canonical_bytes(report))
    harness("run", project, "--dir", tmp_path / "second")

    assert not grown(tmp_path / "second")


def test_what_is_no_run_says_nothing(harness, first, project, tmp_path):
    (first / "report.json").write_text("{}")
    called = harness("run", project, "--dir", tmp_path / "second")

    assert called.code == 0
    assert not grown(tmp_path / "second")


def test_it_is_rebuilt_from_the_run_directory(harness, first, project, tmp_path):
    harness("run", project, "--dir", tmp_path / "second")
    kept = harness("verify", tmp_path / "second", "--recompute")
    (tmp_path / "second" / "earlier.json").unlink()
    dropped = harness("verify", tmp_path / "second", "--recompute")

    assert "byte by byte" in kept.out
    assert dropped.code == 4
    assert "grown_data" in dropped.out or "run.earlier" in dropped.out


def test_a_look_is_counted_by_its_own_ledger(harness, first, project, tmp_path):
    harness("run", project, "--dir", tmp_path / "second")
    harness("open-held-out", tmp_path / "second", "--yes")
    report = report_of(tmp_path / "second")

    assert not grown(tmp_path / "second")
    assert any("the exploratory part is a second one" in note for note in report["notes"])


def test_a_plan_that_may_be_read_at_any_time_is_still_marked_when_it_grew(harness, first, project, tmp_path):
    project.write_text(f"{project.read_text()}\n[sequential]\nbatch = 4\n")
    harness("run", project, "--dir", tmp_path / "second")

    assert grown(tmp_path / "second")
