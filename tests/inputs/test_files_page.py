"""The page on the files: its examples are read, its tables name every key and no other."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from harness.cli.rules import GRADER_RULES
from harness.domain.calls import RecordedReply
from harness.domain.cases import Anchor, Canary, Case, Message, Review
from harness.domain.checks import Check
from harness.domain.specs import (
    AnalysisSpec,
    Budget,
    EndpointSpec,
    Experiment,
    Gates,
    GoldSpec,
    JudgeSpec,
    Limits,
    Price,
    Repeats,
    SequentialSpec,
    SplitSpec,
)
from harness.importers.fields import KNOWN_FIELDS, PASSED_WORDS
from harness.importers.results import read_results
from harness.inputs.experiment import load_plan
from harness.inputs.jsonl import read_jsonl

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
SECTIONS_OF_EXPERIMENT = ("judge", "panel", "arm", "repeats", "analysis", "gates", "budget", "sequential")
SECTIONS: dict[str, str] = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


def example(title: str) -> str:
    found = re.search(r"^```\w+\n(.*?)^```$", SECTIONS[title], re.M | re.S)
    assert found, f"{title} has no example"
    return found[1]


def keys(title: str, header: str = "key") -> list[str]:
    table = re.search(rf"^\| {header} \|.*?\n\|---.*?\n((?:\|.*\n)+)", SECTIONS[title], re.M)
    assert table, f"{title} has no table of {header}"
    return re.findall(r"^\| `([^`]+)`", table[1], re.M)


def fields(model: type[BaseModel], prefix: str = "", *, without: tuple[str, ...] = ()) -> Iterator[str]:
    yield from (f"{prefix}{name}" for name in model.model_fields if name not in without)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The examples of the page, as files of one project."""
    for title in SECTIONS:
        if "." in title and "Files" not in title:
            folder = title.startswith(("gold/", "anchors/"))
            path = tmp_path / title.replace("NAME", "capitals" if folder else "strict")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example(title), "utf-8")
    return tmp_path


def test_the_examples_are_one_project_that_loads(written: Path) -> None:
    plan = load_plan(written / "experiment.toml", rules=GRADER_RULES)

    assert (len(plan.cases), len(plan.canaries), len(plan.anchors)) == (3, 3, 2)
    assert {entry.path for entry in plan.inputs} == {
        path.relative_to(written).as_posix()
        for path in written.rglob("*")
        if path.is_file() and not path.name.startswith("results")
    }


def test_the_recorded_replies_and_the_results_are_read(written: Path) -> None:
    replies = list(read_jsonl(written / "replies-baseline.jsonl", RecordedReply))
    lines, cells = read_results(written / "results.jsonl"), read_results(written / "results.csv")

    assert len(replies) == 2
    assert (lines.n_rows, lines.n_skipped, cells.n_rows) == (3, 1, 2)
    assert cells.cases[0].tags == ("europe", "short")


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("gold/NAME/set.toml", [*fields(GoldSpec, without=("split",)), *fields(SplitSpec, "split.")]),
        ("gold/NAME/cases.jsonl", [*fields(Case), *fields(Message, "messages[].")]),
        ("gold/NAME/canaries.jsonl", [*fields(Canary)]),
        ("anchors/NAME.jsonl", [*fields(Anchor), *fields(Review, "reviews[].")]),
        ("judges/NAME/judge.toml", [*fields(JudgeSpec)]),
        ("replies-baseline.jsonl", [*fields(RecordedReply)]),
        ("results.jsonl", [*KNOWN_FIELDS]),
        (
            "experiment.toml",
            [
                *fields(Experiment, without=SECTIONS_OF_EXPERIMENT),
                "judge.spec",
                "judge.endpoint",
                "panel[].name",
                "panel[].spec",
                "panel[].endpoint",
                "arm.baseline",
                "arm.candidate",
                *fields(Repeats, "repeats."),
                *fields(AnalysisSpec, "analysis."),
                *fields(Gates, "gates."),
                *fields(Budget, "budget."),
                *fields(SequentialSpec, "sequential."),
            ],
        ),
    ],
)
def test_every_key_of_a_file_is_on_the_page_and_no_other(title: str, wanted: list[str]) -> None:
    assert sorted(keys(title)) == sorted(wanted)


def test_every_key_of_an_endpoint_is_on_the_page_and_no_other() -> None:
    wanted = [
        *fields(EndpointSpec, without=("price", "limits")),
        *fields(Price, "price."),
        *fields(Limits, "limits."),
    ]

    assert sorted(keys("experiment.toml", "key of an endpoint")) == sorted(wanted)


def test_every_check_is_on_the_page_with_its_keys() -> None:
    rows = re.findall(r"^\| (`.+?) \| (`.+?) \| .+ \|$", SECTIONS["gold/NAME/cases.jsonl"], re.M)
    on_page = {
        kind: sorted(re.findall(r"`(\w+)`", names))
        for kinds, names in rows
        for kind in re.findall(r"`([\w-]+)`", kinds)
    }
    known = {
        kind: sorted(fields(model, without=("kind",)))
        for model in get_args(get_args(Check)[0])
        for kind in get_args(model.model_fields["kind"].annotation)
    }

    assert on_page == known


def test_every_word_that_passed_may_say_is_on_the_page() -> None:
    row = next(line for line in SECTIONS["results.jsonl"].split("\n") if line.startswith("| `passed`"))

    assert set(re.findall(r"`(\w+)`", row)) == {"passed", *PASSED_WORDS}
