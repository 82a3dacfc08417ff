"""An audit held against an earlier one, and the judge's history."""

import json
from pathlib import Path

import pytest

from tests.cli.small_project import write_project

N = 20
PEOPLE = ["good" if number % 2 else "bad" for number in range(N)]


def project(root: Path, *, wrong: set[int]) -> Path:
    """A judged project with twenty anchors, on some of which the judge is wrong."""
    experiment = write_project(root, judged=True)
    anchors = [
        {
            "id": f"a{number:02}",
            "prompt": f"Question {number}?",
            "answer": f"Answer {number}.",
            "reviews": [{"by": "r1", "label": label}, {"by": "r2", "label": label}],
            "selection": "random",
        }
        for number, label in enumerate(PEOPLE)
    ]
    rows(root / "anchors" / "small.jsonl", anchors)
    votes(root, wrong=wrong)
    return experiment


def votes(root: Path, *, wrong: set[int], model: str = "m-judge") -> None:
    other = {"good": "bad", "bad": "good"}
    found = [
        {"kind": "canary", "id": name, "content": f"So.\n{label}", "model": model}
        for name, label in (("k1", "bad"), ("k2", "good"))
    ]
    found += [
        {
            "kind": "anchor",
            "id": f"a{number:02}",
            "content": f"So.\n{other[label] if number in wrong else label}",
            "model": model,
        }
        for number, label in enumerate(PEOPLE)
    ]
    rows(root / "votes.jsonl", found)


def rows(path: Path, found: list[dict[str, object]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in found), encoding="utf-8")


def test_equal_kappa_and_eight_flips_of_twenty_make_the_judge_unfit(harness, tmp_path):
    experiment = project(tmp_path / "p", wrong={0, 1, 2, 3})
    harness("audit", experiment, "--dir", tmp_path / "then")
    votes(tmp_path / "p", wrong={4, 5, 6, 7})
    called = harness("audit", experiment, "--dir", tmp_path / "now", "--against", tmp_path / "then", "--json")
    report = json.loads(called.out)
    drift = report["audits"]["drift"]

    assert called.code == 1
    assert drift["kappa_then"] == drift["kappa_now"]
    assert (drift["verdict"], drift["flip_share"]["n"]) == ("drift", 8)
    assert report["audits"]["judge"]["status"] == "unfit"
    assert report["decision"]["verdict"] == "invalid"


def test_the_report_made_again_still_tells_of_the_drift(harness, tmp_path):
    experiment = project(tmp_path / "p", wrong=set())
    harness("audit", experiment, "--dir", tmp_path / "then")
    votes(tmp_path / "p", wrong=set(range(10)))
    first = harness("audit", experiment, "--dir", tmp_path / "now", "--against", tmp_path / "then", "--json")

    assert harness("report", tmp_path / "now", "--json").out == first.out


def test_without_an_earlier_run_the_judge_is_not_audited_for_drift_and_the_exit_code_is_3(harness, tmp_path):
    experiment = project(tmp_path / "p", wrong=set())
    called = harness("audit", experiment, "--dir", tmp_path / "now", "--json")
    report = json.loads(called.out)

    assert report["audits"]["drift"]["status"] == "not_audited"
    assert report["audits"]["judge"]["status"] == "not_audited"
    assert "judge_not_audited" in report["decision"]["sentence"]
    assert called.code == 3


def test_recorded_audits_make_a_series_and_the_same_audit_is_recorded_once(harness, tmp_path):
    experiment = project(tmp_path / "p", wrong={0})
    history = tmp_path / "p" / "judges" / "strict" / "history.jsonl"
    for _ in range(2):
        harness("audit", experiment, "--dir", tmp_path / "first", "--record")
    once = history.read_text()
    votes(tmp_path / "p", wrong=set(range(12)))
    called = harness("audit", experiment, "--dir", tmp_path / "second", "--record", "--json")
    found = json.loads(called.out)["audits"]["drift"]

    assert len(once.splitlines()) == 1
    assert history.read_text().startswith(once)
    assert [point["correct"]["n"] for point in found["history"]["points"]] == [19, 8]
    assert found["history"]["first_alarm"] is not None
    assert found["reasons"][0].startswith("cusum_alarm")
    assert called.code == 1


def test_an_audit_with_nothing_to_record_is_reported_all_the_same(harness, tmp_path):
    experiment = project(tmp_path / "p", wrong=set())
    lenient = [
        {"kind": "canary", "id": name, "content": "So.\ngood", "model": "m-judge"} for name in ("k1", "k2")
    ]
    rows(tmp_path / "p" / "votes.jsonl", lenient)
    called = harness("audit", experiment, "--dir", tmp_path / "now", "--record", "--json")
    report = json.loads(called.out)

    assert called.code == 1
    assert "nothing to record" in called.err
    assert report["audits"]["judge"]["status"] == "unfit"
    assert not (tmp_path / "p" / "judges" / "strict" / "history.jsonl").exists()


def test_an_audit_is_not_held_against_itself(harness, tmp_path):
    experiment = project(tmp_path / "p", wrong=set())
    called = harness("audit", experiment, "--dir", tmp_path / "now", "--against", tmp_path / "now")

    assert called.code == 2
    assert "is the audit itself, wanted an earlier run" in called.err


@pytest.mark.parametrize("option", ["--record", "--against"])
def test_an_experiment_without_a_judge_has_none_to_compare(harness, tmp_path, option):
    experiment = write_project(tmp_path / "p")
    harness("audit", experiment, "--dir", tmp_path / "then")
    words = [option] if option == "--record" else [option, tmp_path / "then"]
    called = harness("audit", experiment, "--dir", tmp_path / "now", *words)

    assert called.code in (2, 3)


def recorded(harness, root: Path, wrong: list[set[int]]) -> Path:
    """Record one audit for each set of anchors on which the judge is wrong."""
    experiment = project(root, wrong=wrong[0])
    for number, mistakes in enumerate(wrong):
        votes(root, wrong=mistakes)
        harness("audit", experiment, "--dir", root / f"audit-{number}", "--record")
    return experiment


def test_the_history_is_shown_as_a_table_and_a_page(harness, tmp_path):
    experiment = recorded(harness, tmp_path / "p", [{0}, {1, 2}])
    shown = harness("history", experiment, "--html", tmp_path / "page.html")

    assert shown.code == 0
    assert "19 of 20" in shown.out
    assert "18 of 20" in shown.out
    assert "| 3 of 20 |" in shown.out
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<circle") == 4


def test_a_history_that_alarmed_exits_with_1_and_a_single_audit_with_3(harness, tmp_path):
    alarmed = recorded(harness, tmp_path / "p", [{0}, set(range(12))])
    single = recorded(harness, tmp_path / "q", [{0}])

    assert harness("history", alarmed).code == 1
    assert harness("history", single).code == 3


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (lambda text: text.splitlines(keepends=True)[0], "is known and not in it; 1 audits are left"),
        (lambda text: text.replace('"right":false', '"right":true', 1), "edited: its entry is"),
    ],
)
def test_a_history_that_was_shortened_or_edited_is_exit_code_4_and_asks_nothing(
    harness, tmp_path, edit, wanted
):
    experiment = recorded(harness, tmp_path / "p", [{0}, {1, 2}])
    path = tmp_path / "p" / "judges" / "strict" / "history.jsonl"
    path.write_text(edit(path.read_text()))
    shown, more = (
        harness("history", experiment),
        harness("audit", experiment, "--dir", tmp_path / "more", "--record"),
    )

    assert (shown.code, more.code) == (4, 4)
    assert wanted in shown.err
    assert not (tmp_path / "more").exists()


def test_without_a_recorded_audit_there_is_no_history(harness, tmp_path):
    shown = harness("history", project(tmp_path / "p", wrong=set()))

    assert shown.code == 3
    assert "no audit is recorded" in shown.err


def verified(harness, run: Path, *words: object):
    called = harness("verify", run, "--recompute", "--json", *words)
    return called, {claim["what"]: claim for claim in json.loads(called.out)["claims"]}


@pytest.fixture
def drifted(harness, tmp_path):
    """A run that was compared with an earlier one and recorded, in a project with two recorded audits."""
    experiment = recorded(harness, tmp_path / "p", [{0}])
    votes(tmp_path / "p", wrong={1, 2})
    then = tmp_path / "p" / "audit-0"
    harness("audit", experiment, "--dir", tmp_path / "now", "--against", then, "--record")
    return tmp_path


def test_the_comparison_and_the_series_are_made_again(harness, drifted):
    words = ("--against", drifted / "p" / "audit-0", "--inputs", drifted / "p")
    _, claims = verified(harness, drifted / "now", *words)
    _, alone = verified(harness, drifted / "now")

    assert (claims["drift"]["standing"], claims["history of strict"]["standing"]) == ("holds", "holds")
    assert (alone["drift"]["standing"], alone["history of strict"]["standing"]) == ("not_checked",) * 2


def edit_drift(run: Path, old: str, new: str) -> None:
    text = (run / "drift.json").read_text(encoding="utf-8")
    assert old in text
    (run / "drift.json").write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"both_correct":17', '"both_correct":20', "drift"),
        ('"run_length_in_control"', '"run_length_in_control"', None),
        ('"limit":', '"limit":1', "history of strict"),
    ],
)
def test_a_finding_of_drift_that_was_edited_with_the_report_is_tampered(harness, drifted, old, new, what):
    run = drifted / "now"
    edit_drift(run, old, new)
    harness("report", run)
    words = ("--against", drifted / "p" / "audit-0", "--inputs", drifted / "p")
    called, claims = verified(harness, run, *words)

    broken = {name for name, claim in claims.items() if claim["standing"] == "broken"}
    assert broken == ({what} if what else set())
    assert (called.code == 4) == (what is not None)


def test_a_history_that_lost_the_audit_of_a_run_is_told_when_the_run_is_verified(harness, drifted):
    folder = drifted / "p" / "judges" / "strict"
    lines = (folder / "history.jsonl").read_text().splitlines(keepends=True)
    (folder / "history.jsonl").write_text(lines[0])
    (folder / "history.head.json").unlink()

    called, claims = verified(harness, drifted / "now", "--inputs", drifted / "p")

    assert called.code == 4
    assert "is known and not in it; 1 audits are left" in claims["drift"]["detail"]


def test_another_run_than_the_one_compared_with_proves_nothing(harness, drifted):
    _, claims = verified(harness, drifted / "now", "--against", drifted / "now")

    assert claims["drift"]["standing"] == "unproven"
