"""The plan plants the judge's built-in probes, and freezes them."""

from harness.domain.plan import plan_digest

ASKED = ("seed = 1\n", "seed = 1\n\n[gates]\nprobes = true\n")


def test_probes_are_canaries_of_the_plan_and_change_its_digest(project):
    before = project.load()
    project.replace("experiment.toml", *ASKED)
    after = project.load()
    probes = [canary for canary in after.canaries if canary.id.startswith("probe:")]

    assert [canary.id for canary in before.canaries] == ["k1", "k2"]
    assert "reference" in {probe.kind for probe in probes}
    assert after.canaries[:2] == before.canaries
    assert plan_digest(after) != plan_digest(before)


def test_a_probe_shows_no_held_out_case(project):
    project.replace("experiment.toml", *ASKED)
    project.replace("gold/small/set.toml", "held_out = 0.3", "held_out = 1.0")
    plan = project.load()

    shown = {canary.prompt for canary in plan.canaries if canary.id.startswith("probe:")}
    assert shown == {"Capital of Spain?"}


def test_probes_without_a_judge_are_refused(project):
    project.cases({"id": "c3", "prompt": "2 + 2?", "checks": [{"kind": "exact", "expected": "4"}]})
    project.rows("gold/small/canaries.jsonl", [])
    text = (project.root / "experiment.toml").read_text("utf-8")
    start, end = text.index("[judge]"), text.index("[repeats]")
    project.write(
        "experiment.toml",
        (text[:start] + text[end:]).replace(*ASKED).replace('anchors = "anchors/small.jsonl"\n', ""),
    )

    assert "gates.probes: found true and no [judge] to probe" in project.complaint()


def test_a_canary_with_the_id_of_a_probe_is_refused(project):
    project.replace("experiment.toml", *ASKED)
    project.replace("gold/small/canaries.jsonl", '"id": "k1"', '"id": "probe:empty"')

    assert "'probe:empty' has the id of a built-in probe" in project.complaint()
