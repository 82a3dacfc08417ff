"""What a report says of a panel: numbers counted by hand, flags, and all forms of the report."""

import json
from pathlib import Path

import pytest

from tests.cli.panel_project import right, write_panel
from tests.cli.small_project import write_project


def passing(*, candidate: range, baseline: range = range(0)):
    """A judge that passes these cases of each arm, and sees planted answers for what they are."""

    def says(kind: str, name: str, arm: str | None) -> str:
        if kind != "case":
            return right(kind, name, arm)
        return "good" if int(name[1:]) in (candidate if arm == "candidate" else baseline) else "bad"

    return says


JUDGES = {
    "x": passing(candidate=range(12)),
    "y": passing(candidate=range(8), baseline=range(20, 24)),
    "z": passing(candidate=range(4, 16), baseline=range(22, 24)),
}
# By hand, of 24 cases. Two or three of the judges pass the candidate on 0 to 11, the baseline on 22 and 23.
HEADLINE = (12 - 2) / 24
ALONE = {"x": 12 / 24, "y": (8 - 4) / 24, "z": (12 - 2) / 24}
# Without x, y and z must agree: in both arms they do on 4 to 7, four gains, on 16 to 19, and on 22 and
# 23, two losses. Without y: on 4 to 11, eight gains, on 16 to 21. Without z: on 0 to 7, eight gains,
# and on 12 to 19.
WITHOUT = {"x": (4 - 2) / 10, "y": 8 / 14, "z": 8 / 16}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the three judges over all 24 cases."""
    from harness.cli.run import make_report, run_experiment
    from harness.cli.run_files import write_reports

    root = tmp_path_factory.mktemp("panel")
    experiment = write_panel(root, JUDGES, held_out=False)
    text = experiment.read_text("utf-8")
    text = text.replace('model = "m-baseline"', 'model = "m-baseline"\nfamily = "greek"')
    for name, family in (("x", "greek"), ("y", "latin"), ("z", "latin")):
        text = text.replace(f'model = "m-{name}"', f'model = "m-{name}"\nfamily = "{family}"')
    experiment.write_text(text, encoding="utf-8")
    run = run_experiment(experiment, root / "run", locked=False)
    write_reports(run, make_report(run))
    return run


@pytest.fixture(scope="module")
def panel(run):
    return json.loads((run / "report.json").read_bytes())["panel"]


def test_the_headline_is_that_of_the_majority_of_judges(run):
    report = json.loads((run / "report.json").read_bytes())

    assert report["exploratory"]["primary"]["difference"] == pytest.approx(HEADLINE)


@pytest.mark.parametrize(("what", "wanted"), [("alone", ALONE), ("without", WITHOUT)])
def test_what_each_judge_does_to_the_headline_is_what_a_hand_counts(panel, what, wanted):
    found = {judge["name"]: judge[what] for judge in panel["judges"]}

    assert {name: each["difference"] for name, each in found.items()} == pytest.approx(wanted)
    changes = {name: each["change"] for name, each in found.items()}
    assert changes == pytest.approx({name: value - HEADLINE for name, value in wanted.items()})


def test_the_verdicts_of_each_judge_are_counted_by_arm(panel):
    counts = {
        judge["name"]: [(arm["n_pass"], arm["n_fail"]) for arm in judge["arms"]] for judge in panel["judges"]
    }

    assert counts == {"x": [(0, 24), (12, 12)], "y": [(4, 20), (8, 16)], "z": [(2, 22), (12, 12)]}


def test_agreement_of_the_judges_is_what_a_hand_counts(panel):
    # All agree on the candidate's 4 to 7 and 16 to 23 and on the baseline's 0 to 19. On the other 16
    # answers one of three differs, which is one pair of a pass and a fail for each rater of the unit.
    n_pass, n_fail = 12 + 12 + 14, 144 - 38

    assert (panel["n_answers"], panel["n_unanimous"], panel["n_no_majority"]) == (48, 32, 0)
    assert panel["alpha"] == pytest.approx(1 - 143 * 16 / (n_pass * n_fail))
    assert panel["alpha_interval"]["low"] < panel["alpha"] < panel["alpha_interval"]["high"]


def test_a_judge_of_an_arms_family_is_flagged_and_so_are_two_of_one_family(panel, run):
    gates = json.loads((run / "report.json").read_bytes())["decision"]["gates"]
    told = next(gate["reason"] for gate in gates if gate["name"] == "judge_is_no_arm")

    assert [judge["same_family"] for judge in panel["judges"]] == [["baseline"], [], []]
    preferences = [
        [effect["of"] for effect in judge["bias"]["effects"] if effect["of"] == "self_preference"]
        for judge in panel["judges"]
    ]
    assert preferences == [["self_preference"]] * 3
    assert "same_family: judge:x and baseline are both of family greek" in panel["reasons"]
    assert "judges_of_one_family: judge:y and judge:z are both of family latin" in panel["reasons"]
    assert told == "a judge of the panel is of the model family of baseline"


def test_a_verdict_that_hangs_on_one_judge_is_told(panel):
    rests = [reason for reason in panel["reasons"] if reason.startswith("rests_on_one_judge")]
    verdicts = {judge["endpoint"]: judge["without"]["verdict"] for judge in panel["judges"]}

    assert rests == [
        "rests_on_one_judge: with judge:x the verdict is improvement, without it inconclusive, "
        "what is missing left out"
    ]
    # Of the two judges who are left, the ties are missing verdicts: nothing is certain in their bounds.
    assert set(verdicts.values()) == {"inconclusive"}


@pytest.mark.parametrize("form", ["report.html", "summary.md"])
def test_every_form_of_the_report_shows_each_judge_and_its_difference(run, form):
    text = (run / form).read_text("utf-8")

    for name, passes in (("x", 12), ("y", 8), ("z", 12)):
        assert f"judge:{name}" in text
        assert f"candidate: passes {passes} and fails {24 - passes} of 24 answers" in text
    assert "Krippendorff" in text


def test_a_report_of_one_judge_has_no_panel(harness, tmp_path):
    experiment = write_project(tmp_path / "p", judged=True)
    harness("run", experiment, "--dir", tmp_path / "run")
    content = (tmp_path / "run/report.json").read_bytes()

    assert json.loads(content)["panel"] is None
    assert b"panel" not in (tmp_path / "run/plan.json").read_bytes()


def test_a_closed_split_is_in_no_number_of_the_panel(harness, tmp_path):
    experiment = write_panel(tmp_path, JUDGES)
    harness("run", experiment, "--dir", tmp_path / "run")
    report = json.loads((tmp_path / "run/report.json").read_bytes())
    closed = report["panel"]
    harness("open-held-out", tmp_path / "run", "--yes")
    opened = json.loads((tmp_path / "run/report.json").read_bytes())["panel"]

    assert (closed["basis"], closed["n_answers"]) == ("exploratory", 2 * report["plan"]["n_exploratory"])
    assert (opened["basis"], opened["n_answers"]) == ("held_out", 2 * report["plan"]["n_held_out"])
