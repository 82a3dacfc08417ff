"""Make the recorded content again from the published sources.

    python tests/content/make_content.py SOURCE [ROOT]

SOURCE holds the folders ``b1-xstest``, ``a1-arena-bench``, ``c2-ja-vicuna-swap``
and ``d1-swebench-verified``; ROOT is the repository (default: the current folder).
Written by hand, and not touched here: every .toml, .md and licence file.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from harness.domain.calls import RecordedReply
from harness.domain.cases import ARMS, Anchor, Arm, Canary, Case, Outcome, Review
from harness.domain.record import Record

Row = Mapping[str, object]

COMPLIED, REFUSED = "1_full_compliance", "2_full_refusal"
XSTEST_ARMS: Mapping[Arm, str] = {"baseline": "llama2orig", "candidate": "llama2new"}
XSTEST_REVIEWED = "gpt4"
N_CANARIES_A_SIDE = 5

ARENA_ARMS: Mapping[Arm, str] = {"baseline": "gpt-3.5-turbo-1106", "candidate": "claude-2.1"}

VICUNA_BASELINE = "openai--text-davinci-003"
VICUNA_CANDIDATES = {
    "calm2": "cyberagent--calm2-7b-chat",
    "llm-jp": "llm-jp--llm-jp-13b-instruct-lora-jaster-dolly-oasst-v1.0",
    "rinna": "rinna--japanese-gpt-neox-3.6b-instruction-ppo",
}

SWEBENCH = {
    "swebench_sonnet": "20241022_tools_claude-3-5-sonnet-updated",
    "swebench_haiku": "20241022_tools_claude-3-5-haiku",
}


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the objects of a JSONL file; only LF ends a line."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines, each ended by LF on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8"))


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write one record a line, with the fields that were set and no others."""
    write_lines(path, (record.model_dump_json(exclude_unset=True) for record in records))


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write one plain object a line."""
    write_lines(path, (json.dumps(row, ensure_ascii=False) for row in rows))


def safe_rows(folder: Path, model: str) -> list[dict[str, str]]:
    """Return the labelled completions of the safe prompts, in the order of their ids."""
    rows = read_rows(folder / f"labelled_{model}.jsonl")
    safe = [row for row in rows if row["prompt_label"] == "safe"]
    return sorted(safe, key=lambda row: int(row["id"].removeprefix("v2-")))


def asked_prompts(labelled: Mapping[str, list[dict[str, str]]]) -> dict[str, tuple[str, str]]:
    """Return prompt and type by id, as the models were asked them.

    The prompt list of the source words one prompt otherwise than it was asked,
    so the labelled files decide.

    Raises:
        ValueError: Two models were not asked the same.
    """
    asked: dict[str, tuple[str, str]] = {}
    for model, rows in labelled.items():
        for row in rows:
            here = (row["prompt"], row["type"])
            if asked.setdefault(row["id"], here) != here:
                raise ValueError(f"{row['id']}: {model} was asked {here}, another {asked[row['id']]}")
    return asked


def unanimous(rows: Iterable[dict[str, str]], label: str) -> list[dict[str, str]]:
    """Return the first completions to which all people gave the label. The judge has no say."""
    people = ("annotation_1", "annotation_2", "final_label")
    return [row for row in rows if all(row[by] == label for by in people)][:N_CANARIES_A_SIDE]


def xstest_canaries(reviewed: list[dict[str, str]]) -> list[Canary]:
    """Return the planted answers of both outcomes."""
    sides: tuple[tuple[str, Outcome, str], ...] = (
        (REFUSED, "fail", "a full refusal of a harmless question"),
        (COMPLIED, "pass", "a full answer to a harmless question"),
    )
    return [
        Canary(
            id=f"k-{row['id']}",
            prompt=row["prompt"],
            answer=row["completion"],
            expected=expected,
            grader="judge",
            kind="reviewed",
            why=f"{what}: both annotators and the final label say {label}",
        )
        for label, expected, what in sides
        for row in unanimous(reviewed, label)
    ]


def xstest_anchors(reviewed: list[dict[str, str]], canaries: list[Canary]) -> list[Anchor]:
    """Return every reviewed completion that is not planted as a canary."""
    planted = {canary.id.removeprefix("k-") for canary in canaries}
    return [
        Anchor(
            id=f"{XSTEST_REVIEWED}-{row['id']}",
            prompt=row["prompt"],
            answer=row["completion"],
            reviews=tuple(Review(by=by, label=row[by]) for by in ("annotation_1", "annotation_2")),
            label=row["final_label"],
            selection="curated",
            tags=(row["type"],),
        )
        for row in reviewed
        if row["id"] not in planted
    ]


def xstest_votes(
    labelled: Mapping[str, list[dict[str, str]]], canaries: list[Canary], anchors: list[Anchor]
) -> Iterator[RecordedReply]:
    """Yield the recorded label of each planted, reviewed and answered completion."""
    said = {row["id"]: row["judge_gpt4_label"] for row in labelled[XSTEST_REVIEWED]}
    for canary in canaries:
        label = said[canary.id.removeprefix("k-")]
        yield RecordedReply(kind="canary", id=canary.id, repeat=0, content=label)
    for anchor in anchors:
        label = said[anchor.id.removeprefix(f"{XSTEST_REVIEWED}-")]
        yield RecordedReply(kind="anchor", id=anchor.id, repeat=0, content=label)
    for arm in ARMS:
        for row in labelled[XSTEST_ARMS[arm]]:
            label = row["judge_gpt4_label"]
            yield RecordedReply(kind="case", id=row["id"], arm=arm, answer=0, repeat=0, content=label)


def make_xstest(folder: Path, root: Path) -> None:
    """Write gold set, canaries, anchors and replies of the XSTest experiment."""
    labelled = {model: safe_rows(folder, model) for model in (*XSTEST_ARMS.values(), XSTEST_REVIEWED)}
    asked = asked_prompts(labelled)
    cases = [Case(id=id_, prompt=prompt, tags=(type_,)) for id_, (prompt, type_) in asked.items()]
    canaries = xstest_canaries(labelled[XSTEST_REVIEWED])
    anchors = xstest_anchors(labelled[XSTEST_REVIEWED], canaries)
    write_records(root / "gold/xstest/cases.jsonl", cases)
    write_records(root / "gold/xstest/canaries.jsonl", canaries)
    write_records(root / "anchors/xstest.jsonl", anchors)
    for arm in ARMS:
        replies = (
            RecordedReply(id=row["id"], content=row["completion"], model=row["model"])
            for row in labelled[XSTEST_ARMS[arm]]
        )
        write_records(root / f"experiments/xstest/replies-{arm}.jsonl", replies)
    write_records(root / "experiments/xstest/replies-judge.jsonl", xstest_votes(labelled, canaries, anchors))


def xstest_labels(folder: Path) -> Iterator[Row]:
    """Yield the labels alone, of safe and unsafe prompts, for counting directly."""
    keep = ("id", "type", "prompt_label", "annotation_1", "annotation_2", "final_label", "judge_gpt4_label")
    for model in (*XSTEST_ARMS.values(), XSTEST_REVIEWED):
        for row in read_rows(folder / f"labelled_{model}.jsonl"):
            yield {"model": model, **{key: row[key] for key in keep}}


def stripped_sha256(text: str) -> str:
    """Return the digest as the source takes it: over the text without white space at its ends."""
    return sha256(text.strip().encode("utf-8")).hexdigest()


def arena_vote(arm: Arm, judged: Mapping[str, str], answer: str) -> RecordedReply:
    """Return the recorded vote, or a failure where it is about another text than the answer."""
    id_ = judged["question_id"]
    about = judged["judged_text_sha256"]
    if about != judged["answer_text_sha256"] or about != stripped_sha256(answer):
        return RecordedReply(kind="case", id=id_, arm=arm, answer=0, repeat=0, failure="judged another text")
    return RecordedReply(kind="case", id=id_, arm=arm, answer=0, repeat=0, content=judged["judgment"])


def arena_replies(folder: Path, arm: Arm, ids: list[str]) -> tuple[list[RecordedReply], list[RecordedReply]]:
    """Return the arm's answers and the judge's votes about them, in the order of the cases."""
    model = ARENA_ARMS[arm]
    answers = {row["question_id"]: row for row in read_rows(folder / f"answers_{model}.jsonl")}
    judged = {row["question_id"]: row for row in read_rows(folder / f"judgments_gpt-4_{model}.jsonl")}
    said = [
        RecordedReply(id=id_, content=answers[id_]["text"], model=answers[id_]["model_id"]) for id_ in ids
    ]
    votes = [arena_vote(arm, judged[id_], answers[id_]["text"]) for id_ in ids]
    return said, votes


def make_arena(folder: Path, root: Path) -> None:
    """Write gold set and replies of the arena-bench experiment."""
    shown = read_rows(folder / "reference_answers_gpt-4.jsonl")
    references = {row["question_id"]: row["text"] for row in shown}
    prompts = read_rows(folder / "prompts.jsonl")
    cases = [
        Case(id=row["question_id"], prompt=row["prompt"], reference=references[row["question_id"]])
        for row in prompts
    ]
    write_records(root / "gold/arena/cases.jsonl", cases)
    votes: list[RecordedReply] = []
    for arm in ARMS:
        said, about = arena_replies(folder, arm, [case.id for case in cases])
        write_records(root / f"experiments/arena/replies-{arm}.jsonl", said)
        votes.extend(about)
    write_records(root / "experiments/arena/replies-judge.jsonl", votes)


def arena_scores(folder: Path) -> Iterator[Row]:
    """Yield the score the source itself read from each judge text; null where it read none."""
    for model in ARENA_ARMS.values():
        for row in read_rows(folder / f"judgments_gpt-4_{model}.jsonl"):
            yield {"model": model, "id": row["question_id"], "score": row["score"]}


def vicuna_rows(folder: Path, model: str) -> list[dict[str, str]]:
    """Return the compared answers of the baseline and a model, in the order of their questions."""
    first, second = sorted((VICUNA_BASELINE, model))
    rows = read_rows(folder / f"pair_{first}_{second}.jsonl")
    return sorted(rows, key=lambda row: int(row["question_id"]))


def vicuna_answer(row: Mapping[str, str], model: str) -> RecordedReply:
    """Return the recorded answer of one of the two models."""
    number = 1 if row["model_1"] == model else 2
    return RecordedReply(id=f"q{row['question_id']}", content=row[f"answer_{number}"], model=model)


def vicuna_votes(rows: Iterable[Mapping[str, str]]) -> Iterator[RecordedReply]:
    """Yield the judge's text in both orders: the first call saw the answer of the first model first."""
    for row in rows:
        arms = [ARMS[row[name] != VICUNA_BASELINE] for name in ("model_1", "model_2")]
        for first, call in zip(arms, ("g1", "g2"), strict=True):
            yield RecordedReply(
                kind="case",
                id=f"q{row['question_id']}",
                answer=0,
                first=first,
                content=row[f"{call}_judgment"],
            )


def make_vicuna(folder: Path, root: Path) -> None:
    """Write gold set and replies of the experiments with compared Japanese answers.

    Raises:
        ValueError: Two files do not hold the same questions or baseline answers.
    """
    place = root / "experiments/ja-vicuna"
    written: set[tuple[tuple[str, str, str], ...]] = set()
    for name, model in VICUNA_CANDIDATES.items():
        rows = vicuna_rows(folder, model)
        cases = [
            Case(id=f"q{row['question_id']}", prompt=row["question"], tags=(row["category"],)) for row in rows
        ]
        said = [vicuna_answer(row, VICUNA_BASELINE) for row in rows]
        written.add(
            tuple((c.id, str(c.prompt), str(reply.content)) for c, reply in zip(cases, said, strict=True))
        )
        write_records(root / "gold/ja-vicuna/cases.jsonl", cases)
        write_records(place / "replies-baseline.jsonl", said)
        write_records(place / f"replies-{name}.jsonl", (vicuna_answer(row, model) for row in rows))
        write_records(place / f"replies-judge-{name}.jsonl", vicuna_votes(rows))
    if len(written) > 1:
        raise ValueError("the files do not hold the same questions and answers of the baseline")


def swebench_results(folder: Path, system: str) -> Iterator[Row]:
    """Yield pass or fail of one system on each instance, with its repository as cluster."""
    for line in (folder / "resolved_verified.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield {"id": row["instance_id"], "passed": row["resolved"][system], "cluster": row["repo"]}


def main(source: Path, root: Path) -> None:
    """Write all content and the small copies that the tests count from."""
    xstest, arena = source / "b1-xstest", source / "a1-arena-bench"
    make_xstest(xstest, root)
    make_arena(arena, root)
    make_vicuna(source / "c2-ja-vicuna-swap", root)
    write_rows(root / "tests/data/xstest_labels.jsonl", xstest_labels(xstest))
    write_rows(root / "tests/data/arena_scores.jsonl", arena_scores(arena))
    for name, system in SWEBENCH.items():
        rows = swebench_results(source / "d1-swebench-verified", system)
        write_rows(root / f"tests/data/{name}.jsonl", rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "."))
