"""The page about judging says what the reader does."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.domain.canonical import text_digest
from harness.domain.cases import Anchor, Canary
from harness.domain.specs import EndpointSpec, JudgeSpec, PanelUse
from harness.graders.judge_request import JUDGE_PLACEHOLDERS, judge_prompt_problem
from harness.graders.reply import judge_problem, read_reply
from harness.inputs.pairs import anchor_problem, canary_problem

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "judging.md").read_text("utf-8")
TEMPLATE_JUDGE = ROOT / "harness" / "template" / "judges" / "answer-quality" / "judge.toml"
FORM = re.compile(
    r"<!-- read: (?P<spec>\{.*\}) -->\n\| reply \| verdict \|\n\| --- \| --- \|\n(?P<rows>(?:\|.*\n)+)"
)
ROW = re.compile(r"\| (?:`` ?|` ?)(?P<reply>.*?)(?: ``| `|`) \| (?P<verdict>[^|]+) \|")
REST = {
    "name": "j",
    "version": "1",
    "mode": "single",
    "prompt": "p.md",
    "prompt_sha256": "0" * 64,
    "why": "w",
}


def examples() -> Iterator[tuple[JudgeSpec, str, str | None]]:
    for form in FORM.finditer(PAGE):
        spec = JudgeSpec.from_json(json.dumps({**REST, **json.loads(form["spec"])}))
        for line in form["rows"].splitlines():
            row = ROW.fullmatch(line)
            assert row is not None, line
            verdict = None if row["verdict"] == "none" else row["verdict"]
            yield spec, row["reply"].replace("⏎", "\n"), verdict


EXAMPLES = list(examples())


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_shows_all_forms_of_a_reply() -> None:
    forms = {(spec.reply, bool(spec.marker)) for spec, _, _ in EXAMPLES}

    assert forms == {("json", False), ("last-line", True), ("last-line", False), ("bracketed", False)}
    assert len(EXAMPLES) == 32


@pytest.mark.parametrize(("spec", "reply", "label"), EXAMPLES, ids=[reply for _, reply, _ in EXAMPLES])
def test_a_reply_on_the_page_is_read_as_the_page_says(spec: JudgeSpec, reply: str, label: str | None) -> None:
    verdict = read_reply(spec, reply)

    assert verdict.label == label
    assert verdict.no_verdict == (None if label else "unreadable")


def test_the_judge_on_the_page_is_the_one_of_the_template() -> None:
    shown = JudgeSpec.from_json(json.dumps(tomllib.loads(blocks("toml")[0])))
    written = JudgeSpec.from_json(json.dumps(tomllib.loads(TEMPLATE_JUDGE.read_text("utf-8"))))

    assert shown.model_copy(update={"why": ""}) == written.model_copy(update={"why": ""})
    assert judge_problem(shown) is None


def test_the_endpoint_on_the_page_is_one() -> None:
    shown = tomllib.loads(blocks("toml")[1])["judge"]["endpoint"]

    assert EndpointSpec.from_json(json.dumps(shown)).backend == "chat"


def test_the_page_names_every_key_of_a_judge_and_no_other() -> None:
    table = PAGE.split("| key | meaning |")[1].split("\n\n")[0]
    keys = {key for row in table.splitlines()[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])}

    assert keys == set(JudgeSpec.model_fields)


def test_the_page_names_every_placeholder_of_a_judge_prompt_and_no_other() -> None:
    table = PAGE.split("| placeholder | what is put in |")[1].split("\n\n")[0]
    named = [row.split("|")[1].strip(" `$") for row in table.splitlines()[2:]]

    assert sorted(named) == sorted(JUDGE_PLACEHOLDERS["single"])


def test_the_fence_on_the_page_is_a_prompt() -> None:
    (prompt,) = blocks("text")

    assert judge_prompt_problem(prompt, mode="single") is None


def test_the_canary_and_the_anchor_on_the_page_are_such() -> None:
    pair, canary, anchor = blocks("json")

    assert Canary.from_json(canary).expected == "fail"
    assert len(Anchor.from_json(anchor).reviews) == 2
    planted, reviewed = pair.splitlines()
    assert canary_problem(Canary.from_json(planted), shown_pairwise()) is None
    assert anchor_problem(Anchor.from_json(reviewed), shown_pairwise()) is None


def shown_pairwise() -> JudgeSpec:
    return JudgeSpec.from_json(json.dumps(tomllib.loads(blocks("toml")[-1])))


def test_the_pairwise_judge_on_the_page_can_be_read_and_names_the_prompt_on_the_page() -> None:
    (prompt,) = blocks("markdown")

    assert judge_problem(shown_pairwise()) is None
    assert judge_prompt_problem(prompt, mode="pairwise") is None
    assert text_digest(prompt) == shown_pairwise().prompt_sha256


def test_the_numbers_of_two_judges_are_those_of_their_worked_example() -> None:
    votes = (ROOT / "docs" / "recorded-votes.md").read_text("utf-8")
    shown = next(block for block in blocks("txt") if block.startswith("Between 2 judges"))

    assert shown.rstrip() in votes


def test_the_panel_on_the_page_is_one() -> None:
    block = next(block for block in blocks("toml") if block.startswith("[[panel]]"))
    seats = [PanelUse.from_json(json.dumps(seat)) for seat in tomllib.loads(block)["panel"]]

    assert [seat.name for seat in seats] == ["gpt", "claude"]
