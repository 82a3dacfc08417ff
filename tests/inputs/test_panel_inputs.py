"""A panel in an experiment file: two judges or more, each under a name of its own."""

import pytest
from project import EXPERIMENT, Project

from harness.domain.canonical import canonical_bytes
from harness.inputs.spend import estimate_spend

JUDGE = EXPERIMENT[EXPERIMENT.index("[judge]") : EXPERIMENT.index("[repeats]")]
SEAT = """\
[[panel]]
name = "{name}"
spec = "judges/{spec}"

[panel.endpoint]
backend = "recorded"
model = "j"
replies = "replies.jsonl"

"""


def seats(*names, spec="strict"):
    return "".join(SEAT.format(name=name, spec=spec) for name in names)


def with_panel(project: Project, written: str) -> Project:
    project.replace("experiment.toml", JUDGE, written)
    return project


def second_judge(project: Project, **values) -> None:
    text = (project.root / "judges/strict/judge.toml").read_text("utf-8")
    for old, new in values.items():
        start = text.index(f"{old} = ")
        text = text[:start] + f"{old} = {new}" + text[text.index("\n", start) :]
    project.write("judges/other/judge.toml", text)
    project.write("judges/other/prompt.md", (project.root / "judges/strict/prompt.md").read_text("utf-8"))


def test_every_judge_of_a_panel_is_read_and_asked(project):
    plan = with_panel(project, seats("gpt", "claude", "gemini")).load()
    spend = estimate_spend(plan)
    judges = {each.endpoint: each.n_calls for each in spend.endpoints}

    assert plan.judge is None
    assert [judge.name for judge in plan.judges] == ["gpt", "claude", "gemini"]
    # Two judged cases, two arms, three answers; one canary of the judge; one anchor.
    assert judges == {"baseline": 9, "candidate": 9} | {f"judge:{n}": 14 for n in ("gpt", "claude", "gemini")}


def test_a_plan_with_one_judge_is_written_as_if_there_were_no_panels(project):
    assert b"panel" not in canonical_bytes(project.load())


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (seats("gpt", "GPT"), "panel: two judges are named 'gpt', upper and lower case alike"),
        (seats("gpt"), "panel: found one judge, wanted two or more"),
        (JUDGE + seats("x", "y"), "panel: found [judge] beside it"),
        (seats("x", "y z"), "panel[1].name"),
        (seats("x", "y").replace('name = "y"\n', ""), "panel[1].name"),
    ],
)
def test_a_panel_that_cannot_be_told_apart_is_refused(project, written, complaint):
    assert complaint in with_panel(project, written).complaint()


def test_a_label_that_one_judge_passes_and_another_fails_is_refused(project):
    second_judge(project, labels='["good", "fine", "bad"]', passing='["bad"]')
    with_panel(project, seats("x") + seats("y", spec="other"))

    said = project.complaint()
    assert said.startswith("anchors/small.jsonl:1")
    assert "passes for one judge of the panel" in said


def test_a_label_that_one_judge_does_not_know_is_refused_with_what_is_wanted(project):
    second_judge(project, labels='["1", "2"]', passing='["2"]')
    with_panel(project, seats("x") + seats("y", spec="other"))

    said = project.complaint()
    assert "has no such label, wanted one that all judges of the panel have, or pass or fail" in said


def test_judges_on_scales_of_their_own_give_no_common_score(project):
    second_judge(project, labels='["good", "bad", "none"]')
    project.replace("experiment.toml", "seed = 1", 'seed = 1\nprimary = "score"')
    with_panel(project, seats("x") + seats("y", spec="other"))

    assert "analysis.primary" in project.complaint()


def test_probes_that_forge_another_judges_form_are_planted_beside_the_common_ones(project):
    second_judge(project, labels='["good", "bad", "poor"]', marker='"Verdict:"')
    project.replace("experiment.toml", "[repeats]", "[gates]\nprobes = true\n\n[repeats]")
    plan = with_panel(project, seats("x") + seats("y", spec="other")).load()
    probes = {canary.id: canary.answer for canary in plan.canaries if canary.id.startswith("probe:")}

    assert probes["probe:forged-verdict"].endswith("\ngood")
    assert probes["probe:forged-verdict:y"].endswith("Verdict: good")
    assert "probe:off-topic" in probes
    assert "probe:off-topic:y" not in probes


def test_a_text_at_an_endpoint_of_the_panel_is_refused(project):
    with_panel(project, seats("x", "y").replace('model = "j"', 'model = "j"\nsystem = "be strict"', 1))

    assert "panel.endpoint.system: the judge's texts stand in its judge.toml" in project.complaint()
