"""Anchors: people's labels are the judge's labels, and one person reviews once."""

import pytest
from project import ANCHORS, Project


def anchor(**fields: object) -> dict[str, object]:
    return {**ANCHORS[0], **fields}


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        (
            {"reviews": [{"by": "r1", "label": "fine"}]},
            "label 'fine' by 'r1': wanted one of the labels of judge 'strict': good, bad",
        ),
        ({"label": "Good"}, "label 'Good': wanted one of the labels of judge 'strict': good, bad"),
        (
            {"reviews": [{"by": "r1", "label": "good"}, {"by": "r1", "label": "bad"}]},
            "'r1' reviewed it twice, wanted one review a person",
        ),
        (
            {"reviews": [{"by": "r 1", "label": "good"}, {"by": " r  1", "label": "bad"}]},
            "' r  1' reviewed it twice, wanted one review a person",
        ),
        ({"reviews": []}, "found neither reviews nor a label, so nobody reviewed it"),
        ({"case": "c9"}, "case 'c9' is not in the gold set"),
        ({"arm": "baseline"}, "arm 'baseline' without a case, wanted the case that was answered"),
    ],
)
def test_an_anchor_that_cannot_be_held_against_the_judge_is_refused(
    project: Project, fields: dict[str, object], wanted: str
) -> None:
    project.rows("anchors/small.jsonl", [anchor(id="first"), anchor(**fields)])

    assert project.complaint() == f"anchors/small.jsonl:2: anchor 'a1': {wanted}"


def test_an_adjudicated_label_needs_no_reviews(project: Project) -> None:
    project.rows("anchors/small.jsonl", [anchor(reviews=[], label="bad", case="c1", arm="candidate")])

    assert project.load().anchors[0].label == "bad"


def test_anchors_without_a_judge_are_refused(project: Project) -> None:
    text = (project.root / "experiment.toml").read_text("utf-8")
    start, end = text.index("[judge]"), text.index("[repeats]")
    project.write("experiment.toml", text[:start] + text[end:])

    assert project.complaint() == "experiment.toml:3: anchors: found a file and no [judge] to hold against it"


def test_a_file_without_anchors_is_refused(project: Project) -> None:
    project.rows("anchors/small.jsonl", [])

    assert project.complaint() == "anchors/small.jsonl: found no anchor"
