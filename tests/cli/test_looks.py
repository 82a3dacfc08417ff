"""Looks at the held-out split: counted, budgeted, and never lost."""

import json

import pytest

from harness.inputs.exposures import read_exposures
from harness.inputs.ledger import read_looks
from harness.store.run_dir import read_plan
from tests.cli.small_project import pass_every_other_case, write_project


def opened(harness, tmp_path, *options: str, looks: int, flips: str = "some"):
    experiment = write_project(tmp_path / "p")
    if flips == "some":
        pass_every_other_case(tmp_path / "p")
    settings = tmp_path / "p" / "gold" / "small" / "set.toml"
    settings.write_text(settings.read_text().replace("held_out = 0.4,", f"held_out = 0.4, looks = {looks},"))
    harness("run", experiment, "--dir", tmp_path / "run")
    return harness("open-held-out", tmp_path / "run", "--yes", "--json", *options)


def ran_again(harness, tmp_path):
    """Return the directory of another plan's run on the same gold set."""
    experiment = tmp_path / "p" / "experiment.toml"
    experiment.write_text(experiment.read_text().replace("seed = 1", "seed = 2"))
    harness("run", experiment, "--dir", tmp_path / "other")
    return tmp_path / "other"


def broken_claims(harness, tmp_path, run):
    """Sign a run and return what `verify --recompute` finds broken."""
    harness("keygen", tmp_path / "keys")
    harness("sign", run, "--key", tmp_path / "keys" / "signer.key")
    words = ("--key", tmp_path / "keys" / "signer.pub", "--recompute", "--json")
    found = json.loads(harness("verify", run, *words).out)
    return [claim["detail"] for claim in found["claims"] if claim["standing"] == "broken"]


def test_a_look_spends_its_share_of_alpha(harness, tmp_path):
    report = json.loads(opened(harness, tmp_path, looks=5).out)

    assert report["held_out"]["majority"]["interval"]["confidence_level"] == 0.99
    assert report["exploratory"]["majority"]["interval"]["confidence_level"] == 0.95
    assert any("spends alpha 0.01" in note for note in report["notes"])


def test_looks_that_are_used_up_are_refused_and_show_nothing(harness, tmp_path):
    opened(harness, tmp_path, looks=1)
    called = harness("open-held-out", ran_again(harness, tmp_path), "--yes")

    assert (called.code, called.out) == (2, "")
    assert "1 of 1 looks are used up; --past-budget opens all the same" in called.err
    assert "It is written" not in called.err


def test_a_look_that_the_run_did_not_keep_is_found_in_the_ledger(harness, tmp_path):
    opened(harness, tmp_path, looks=1)
    (tmp_path / "run" / "look.json").unlink()
    called = harness("open-held-out", tmp_path / "run", "--yes")

    assert "no new look" in called.err
    assert called.code == 0


def test_a_planted_look_opens_nothing(harness, tmp_path):
    opened(harness, tmp_path, looks=1)
    (tmp_path / "p" / "gold" / "small" / "looks.jsonl").unlink()
    called = harness("report", tmp_path / "run")

    assert (called.code, called.out) == (4, "")
    assert "is not in the ledger" in called.err


def test_a_look_at_the_decision_alone_releases_no_number_and_exposes_no_case(harness, tmp_path):
    report = json.loads(opened(harness, tmp_path, "--decision-only", looks=2, flips="all").out)
    decision, gold = report["decision"], tmp_path / "p" / "gold" / "small"

    assert [(look.released, look.alpha) for look in read_looks(gold / "looks.jsonl")] == [("decision", 0.025)]
    assert (report["held_out"], decision["basis"]) == (None, "held_out")
    assert decision["verdict"] == "improvement"
    assert not any(any(sign.isdigit() for sign in reason) for reason in decision["reasons"])
    assert {gate["reason"] for gate in decision["gates"]} == {""}
    assert report["completeness"]["n_cases_not_counted"] == report["plan"]["n_held_out"]
    assert read_exposures(gold / "exposures.jsonl") == ()
    for form in ("report.html", "summary.md"):
        assert "opened for the decision alone" in (tmp_path / "run" / form).read_text().lower()
    assert "not released" in (tmp_path / "run" / "junit.xml").read_text()
    assert broken_claims(harness, tmp_path, tmp_path / "run") == []


def test_after_it_the_cases_are_closed_to_every_command(harness, tmp_path):
    opened(harness, tmp_path, "--decision-only", looks=2)
    case = read_plan(tmp_path / "run").held_out[0]
    proved = harness("prove", tmp_path / "run", "--case", case, "--out", tmp_path / "proof.json")
    compared = harness("compare", f"{tmp_path / 'run'}@baseline", f"{tmp_path / 'run'}@candidate", "--json")

    assert (proved.code, "is held out, and no look has opened it" in proved.err) == (2, True)
    assert any("held-out cases are closed" in note for note in json.loads(compared.out)["notes"])


def test_a_copy_of_such_a_run_withholds_the_cases_and_carries_the_decision(harness, tmp_path):
    opened(harness, tmp_path, "--decision-only", looks=2)
    run, copy = tmp_path / "run", tmp_path / "copy"
    assert broken_claims(harness, tmp_path, run) == []
    harness("redact", run, "--withhold", "answers", "--out", copy)
    words = ("--key", tmp_path / "keys" / "signer.pub", "--recompute", "--json")
    claims = json.loads(harness("verify", copy, *words).out)["claims"]

    assert [claim["detail"] for claim in claims if claim["standing"] == "broken"] == []
    assert "is carried as it was signed" in next(c["detail"] for c in claims if c["what"] == "decision")
    assert read_exposures(tmp_path / "p" / "gold" / "small" / "exposures.jsonl") == ()


def test_another_decision_than_the_evidence_gives_is_found_out(harness, tmp_path):
    opened(harness, tmp_path, "--decision-only", looks=2, flips="all")
    path = tmp_path / "run" / "report.json"
    path.write_text(path.read_text().replace('"verdict":"improvement"', '"verdict":"equivalent"'))
    found = json.loads(harness("verify", tmp_path / "run", "--recompute", "--json").out)

    broken = [claim["detail"] for claim in found["claims"] if claim["standing"] == "broken"]
    assert any("decision.verdict: the report has 'equivalent'" in detail for detail in broken), broken


def test_a_later_look_at_the_numbers_is_another_one_with_its_own_alpha(harness, tmp_path):
    opened(harness, tmp_path, "--decision-only", looks=2)
    again = harness("open-held-out", tmp_path / "run", "--yes", "--decision-only")
    report = json.loads(harness("open-held-out", tmp_path / "run", "--yes", "--json").out)
    ledger = tmp_path / "p" / "gold" / "small"
    back = harness("open-held-out", tmp_path / "run", "--yes", "--decision-only", "--json")

    assert "no new look" in again.err
    assert [look.released for look in read_looks(ledger / "looks.jsonl")] == ["decision", "numbers"]
    assert report["held_out"]["majority"]["interval"]["confidence_level"] == 0.975
    assert [exposure.shown_by for exposure in read_exposures(ledger / "exposures.jsonl")] == ["report"]
    assert json.loads(back.out) == report
    assert broken_claims(harness, tmp_path, tmp_path / "run") == []


@pytest.mark.parametrize("options", [(), ("--decision-only",)])
def test_a_look_past_the_budget_confirms_nothing(harness, tmp_path, options):
    opened(harness, tmp_path, "--decision-only", looks=1, flips="all")
    other = ran_again(harness, tmp_path)
    called = harness("open-held-out", other, "--yes", "--past-budget", "--json", *options)
    report, ledger = json.loads(called.out), tmp_path / "p" / "gold" / "small" / "looks.jsonl"
    decision = report["decision"]

    assert called.code == 3
    assert "look number 2 of 1, past the budget" in called.err
    assert [look.alpha for look in read_looks(ledger)] == [0.05, None]
    assert (decision["verdict"], decision["basis"]) == ("inconclusive", "held_out")
    assert decision["reasons"][0].startswith("looks_spent")
    assert [gate["status"] for gate in decision["gates"] if gate["name"] == "primary"] == ["not_audited"]
    assert any("past it: the result is exploratory" in note for note in report["notes"])
    assert broken_claims(harness, tmp_path, other) == []


def test_a_look_within_the_budget_spends_its_share_whatever_was_allowed(harness, tmp_path):
    report = json.loads(opened(harness, tmp_path, "--past-budget", looks=1, flips="all").out)

    assert report["decision"]["verdict"] == "improvement"
    assert any("spends alpha 0.05" in note for note in report["notes"])


def test_a_look_does_not_become_one_at_the_decision_alone_by_an_edit(harness, tmp_path):
    opened(harness, tmp_path, "--decision-only", looks=2)
    path = tmp_path / "run" / "look.json"
    path.write_text(path.read_text().replace('"decision"', '"numbers"'))
    found = json.loads(harness("verify", tmp_path / "run", "--json").out)

    broken = [claim["detail"] for claim in found["claims"] if claim["standing"] == "broken"]
    assert any("held-out numbers without a look, or a look without them" in detail for detail in broken)


def test_a_comparison_of_opened_cases_says_that_no_look_counts_it(harness, tmp_path):
    sides = [f"{tmp_path / 'run'}@{arm}" for arm in ("baseline", "candidate")]
    opened(harness, tmp_path, "--decision-only", looks=2)
    closed = json.loads(harness("compare", *sides, "--json").out)
    harness("open-held-out", tmp_path / "run", "--yes")
    two = json.loads(harness("compare", *sides, "--json").out)
    three = json.loads(harness("compare", *sides, sides[0], "--json").out)

    n_held_out = len(read_plan(tmp_path / "run").held_out)
    said = (
        f"run@candidate: {n_held_out} cases were held out and opened by look 2 of small: "
        "no look counts this pairing, so the result is exploratory"
    )
    assert said in two["notes"]
    assert said in three["notes"]
    assert f"note: {said}" in harness("compare", *sides, sides[0]).out
    assert not any("no look counts" in note for note in closed["notes"])
