"""Label-only copies of six published sets of judge votes, and the same votes in the form that is audited.

    python tests/content/make_votes.py copy SOURCES     labels alone, in their sources' own fields
    python tests/content/make_votes.py convert          those copies into rows of recorded votes

`copy` reads the folders that tests/data/votes/SOURCE.md names; `convert` needs none of them.
"""

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LABELS = ROOT / "tests" / "data" / "votes"
EXAMPLES = ROOT / "docs" / "votes"
EXAMPLE_NAMES = ("mt-bench", "ja-vicuna", "pandalm")

Row = dict[str, Any]

_RELEVANCE = {
    "nist-instruct": ("NISTRetrieval-instruct0", "NISTRetrieval-instruct1", "NISTRetrieval-instruct2"),
    "h2oloo-zeroshot2": ("h2oloo-zeroshot2",),
    "rmit-llama70b": ("RMITIR-llama70B",),
}
_RELEVANCE_SCALE = ("0", "1", "2", "3")
_PANDALM_LABELS = {"1": "1", "2": "2", "Tie": "tie", 1: "1", 2: "2", 0: "tie"}


def read(path: Path) -> list[Row]:
    """Return the rows of a JSONL or CSV file."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def copy_labels(sources: Path, target: Path) -> None:
    """Write the labels of the six sets without any text."""
    mt_bench, pandalm = sources / "b2-mt-bench-human", sources / "b3-pandalm" / "items.jsonl"
    _write(target / "mt_bench_human.jsonl", read(mt_bench / "human_votes.jsonl"))
    _write(target / "mt_bench_judge.jsonl", read(mt_bench / "judge_gpt4_pair.jsonl"))
    _write(target / "pandalm.jsonl", map(_pandalm_labels, read(pandalm)))
    _write_relevance(target / "relevance.csv", read(sources / "c1-llmjudge-repeats" / "labels.jsonl"))
    pairs = sorted((sources / "c2-ja-vicuna-swap").glob("pair_*.jsonl"))
    names = ("question_id", "category", "model_1", "model_2", "judge_model", "g1_winner", "g2_winner")
    _write(target / "ja_vicuna.jsonl", (_only(row, names) for path in pairs for row in read(path)))
    scores = read(sources / "c3-repeat-calls" / "repeated_gpt4_scores.jsonl")
    _write(target / "repeat_calls.jsonl", map(_score_labels, scores))


def _pandalm_labels(row: Row) -> Row:
    names = ("idx", "motivation_app", "cmp_key", "annotator1", "annotator2", "annotator3")
    judges = ("judge_gpt-3.5-turbo", "judge_pandalm-7b")
    return _only(row, names) | {judge: row[judge]["result"] for judge in judges}


def _score_labels(row: Row) -> Row:
    return _only(row, ("question_id", "turn", "model", "judge")) | {
        "scores": [call["score"] for call in row["calls"]]
    }


def _only(row: Row, names: Iterable[str]) -> Row:
    return {name: row[name] for name in names}


def _write_relevance(path: Path, rows: list[Row]) -> None:
    runs = [run for group in _RELEVANCE.values() for run in group]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["query_id", "passage_id", *runs])
        writer.writerows(
            [row["query_id"], row["passage_id"], *(row["labels"][run] for run in runs)] for row in rows
        )


def xstest() -> Iterator[Row]:
    """Three models' answers, one GPT-4 label each, two annotators and the label they settled on."""
    for row in read(LABELS.parent / "xstest_labels.jsonl"):
        yield {
            "item": f"{row['model']}/{row['id']}",
            "cluster": row["type"],
            "arm": row["model"],
            "judge": "gpt-4",
            "label": row["judge_gpt4_label"],
            "final": row["final_label"],
            "human": {"annotator-1": row["annotation_1"], "annotator-2": row["annotation_2"]},
        }


def mt_bench() -> Iterator[Row]:
    """Pairs with a verdict put together from both orders, and the raters' votes."""
    ratings: dict[str, dict[str, str]] = defaultdict(dict)
    for row in read(LABELS / "mt_bench_human.jsonl"):
        ratings[_pair(row)][row["rater"]] = row["winner"]
    for row in read(LABELS / "mt_bench_judge.jsonl"):
        agreed = row["winner"] != "tie (inconsistent)"
        yield {
            "item": _pair(row),
            "cluster": str(row["question_id"]),
            "judge": "gpt-4",
            "both_orders": True,
            "label": row["winner"] if agreed else None,
            **({} if agreed else {"reason": "inconsistent"}),
            **({"human": ratings[_pair(row)]} if _pair(row) in ratings else {}),
        }


def _pair(row: Row) -> str:
    return f"{row['question_id']}/{row['turn']}/{row['model_a']}/{row['model_b']}"


def pandalm() -> Iterator[Row]:
    """Pairs with three annotators and two judges, one of which could not always be read."""
    for row in read(LABELS / "pandalm.jsonl"):
        item = {"item": str(row["idx"]), "cluster": row["motivation_app"]}
        yield item | {"human": {f"annotator-{n}": _PANDALM_LABELS[row[f"annotator{n}"]] for n in (1, 2, 3)}}
        for judge in ("gpt-3.5-turbo", "pandalm-7b"):
            label = _PANDALM_LABELS.get(row[f"judge_{judge}"])
            silent = {"reason": "unreadable"} if label is None else {}
            yield {"item": item["item"], "judge": judge, "label": label, **silent}


def relevance() -> Iterator[Row]:
    """Relevance labels from 0 to 3: one judge three times, two others once; labels off the scale are none."""
    for row in read(LABELS / "relevance.csv"):
        for judge, runs in _RELEVANCE.items():
            for repeat, run in enumerate(runs):
                label = row[run] if row[run] in _RELEVANCE_SCALE else None
                yield {
                    "item": f"{row['query_id']}/{row['passage_id']}",
                    "cluster": row["query_id"],
                    "judge": judge,
                    "repeat": repeat,
                    "label": label,
                    **({} if label else {"reason": "unreadable"}),
                }


def ja_vicuna() -> Iterator[Row]:
    """Pairs judged in both orders, each call with the answer it was shown first."""
    for row in read(LABELS / "ja_vicuna.jsonl"):
        for call, first in (("g1", "model_1"), ("g2", "model_2")):
            yield {
                "item": f"{row['question_id']}/{row['model_1']}/{row['model_2']}",
                "cluster": str(row["question_id"]),
                "tags": [row["category"]],
                "judge": row["judge_model"],
                "first": first,
                "label": row[f"{call}_winner"],
            }


def repeat_calls() -> Iterator[Row]:
    """Scores from 1 to 10, each prompt sent twice."""
    for row in read(LABELS / "repeat_calls.jsonl"):
        for repeat, score in enumerate(row["scores"]):
            yield {
                "item": f"{row['question_id']}/{row['turn']}/{row['model']}",
                "cluster": row["question_id"],
                "tags": row["judge"][1:],
                "judge": row["judge"][0],
                "repeat": repeat,
                "score": score,
            }


CONVERTERS = {
    "xstest": xstest,
    "mt-bench": mt_bench,
    "pandalm": pandalm,
    "relevance": relevance,
    "ja-vicuna": ja_vicuna,
    "repeat-calls": repeat_calls,
}


def convert(name: str, directory: Path) -> Path:
    """Write one set in the form that `harness audit-votes` reads, and return the file."""
    path = directory / f"{name}.jsonl"
    _write(path, CONVERTERS[name]())
    return path


def _write(path: Path, rows: Iterable[Row]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["copy"] and len(sys.argv) == 3:
        copy_labels(Path(sys.argv[2]), LABELS)
    elif sys.argv[1:] == ["convert"]:
        for example in EXAMPLE_NAMES:
            convert(example, EXAMPLES)
    else:
        sys.exit(__doc__)
