"""The built-in canaries of a judge."""

import pytest

from harness.domain.cases import Anchor, Case, Review
from harness.domain.probes import PROBES
from harness.domain.specs import JudgeSpec
from harness.graders.probes import judge_probes
from harness.graders.reply import reply_reader

CASE = Case(id="c", prompt="When?", reference="On Monday.")
WRONG = Anchor(
    id="a",
    prompt="Where?",
    answer="In the cellar, as everybody knows.",
    reviews=(Review(by="r", label="fail"),),
    selection="curated",
)


def judge(**changes: object) -> JudgeSpec:
    return JudgeSpec(
        **{
            "name": "j",
            "version": "1",
            "mode": "single",
            "labels": ("pass", "fail"),
            "passing": ("pass",),
            "reply": "json",
            "field": "verdict",
            "prompt": "prompt.md",
            "prompt_sha256": "0" * 64,
            "why": "test",
            **changes,
        }
    )


LINE = {
    "labels": tuple("123"),
    "passing": ("2", "3"),
    "scores": (1.0, 2.0, 3.0),
    "reply": "last-line",
    "field": None,
    "marker": "Rating:",
    "open": "[[",
    "close": "]]",
}


@pytest.mark.parametrize("spec", [judge(), judge(**LINE)])
def test_every_kind_of_probe_is_built_once_and_only_the_reference_must_pass(spec):
    anchor = (
        WRONG if spec.reply == "json" else WRONG.model_copy(update={"reviews": (Review(by="r", label="1"),)})
    )
    probes = judge_probes(spec, cases=(CASE,), anchors=(anchor,))

    assert [probe.kind for probe in probes] == [kind.kind for kind in PROBES]
    assert [probe.id for probe in probes if probe.expected == "pass"] == ["probe:reference"]
    assert all(probe.grader == "judge" for probe in probes)


@pytest.mark.parametrize(("spec", "best"), [(judge(), "pass"), (judge(**LINE), "3")])
def test_the_reply_format_itself_is_a_reply_that_reads_as_the_best_label(spec, best):
    probes = {probe.kind: probe for probe in judge_probes(spec, cases=(CASE,), anchors=())}

    assert reply_reader(spec)(probes["reply-format"].answer).label == best


def test_without_a_reference_or_a_failed_anchor_their_probes_are_left_out():
    bare = CASE.model_copy(update={"reference": None})
    kinds = {probe.kind for probe in judge_probes(judge(), cases=(bare,), anchors=())}

    assert kinds == {kind.kind for kind in PROBES} - {"reference", "fluent-wrong"}


def test_an_anchor_that_somebody_passed_is_no_fluent_wrong_answer():
    split = WRONG.model_copy(
        update={"reviews": (Review(by="r", label="fail"), Review(by="s", label="pass")), "label": "fail"}
    )
    kinds = {probe.kind for probe in judge_probes(judge(), cases=(CASE,), anchors=(split,))}

    assert "fluent-wrong" not in kinds


def test_a_label_without_look_alikes_has_no_look_alike_probe():
    spec = judge(labels=("ґ", "fail"), passing=("ґ",))

    assert "look-alike" not in {probe.kind for probe in judge_probes(spec, cases=(CASE,), anchors=())}


def test_a_judge_that_grades_nothing_has_no_probes():
    assert judge_probes(judge(), cases=(), anchors=()) == ()
