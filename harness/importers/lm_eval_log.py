"""A ``samples_*.jsonl`` file of lm-evaluation-harness.

Source: https://github.com/EleutherAI/lm-evaluation-harness, ``--log_samples``.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.importers.table import Fields, TableRow
from harness.importers.tool_log import Json, Part, ToolLog, chosen, content_digest, read_part


class _Sample(Part):
    doc_id: int | str
    doc: Any = None
    doc_hash: str | None = None
    arguments: Any = None
    target: Any = None
    prompt_hash: Any = None
    target_hash: Any = None
    resps: list[Any]
    filtered_resps: Any
    filter: str = "none"
    metrics: tuple[str, ...] | None = None


def is_lm_eval(row: Json) -> bool:
    """Return whether a row is one of lm-evaluation-harness."""
    return {"doc_id", "resps", "filtered_resps"} <= row.keys()


def read_lm_eval(path: Path, rows: Sequence[TableRow], *, metric: str | None) -> ToolLog:
    """Turn the rows of a file into those of a results file.

    Every filter of the answers has its own row in such a file, so that a
    question occurs once for each; one metric and one filter are chosen, as
    ``exact_match`` or ``exact_match,strict-match``.

    Raises:
        InputError: Several metrics or filters are there and none is named.
    """
    samples = [read_part(_Sample, row.fields, where=f"{path}:{row.line}") for row in rows]
    filters = tuple(dict.fromkeys(sample.filter for sample in samples))
    found = (_metrics(sample, row) for sample, row in zip(samples, rows, strict=True))
    metrics = tuple(dict.fromkeys(name for names in found for name in names))
    name, among = _choice(path, metrics, filters, metric)
    kept = tuple(
        TableRow(row.line, _fields(sample, row.fields.get(name)))
        for sample, row in zip(samples, rows, strict=True)
        if sample.filter == among
    )
    notes = tuple(_notes(samples, name, among, n_left_out=len(rows) - len(kept)))
    return ToolLog("lm-evaluation-harness", kept, f"{name},{among}", notes)


def _choice(
    path: Path, metrics: Sequence[str], filters: Sequence[str], wanted: str | None
) -> tuple[str, str]:
    names = [f"{metric},{among}" for metric in metrics for among in filters]
    if wanted in metrics and len(filters) == 1:
        wanted = f"{wanted},{filters[0]}"
    name, _, among = chosen(names, wanted, path=path, what="metrics", option="--metric").partition(",")
    return name, among


def _metrics(sample: _Sample, row: TableRow) -> Sequence[str]:
    """Return the names of a row's metrics; older files have no list of them."""
    if sample.metrics is not None:
        return sample.metrics
    known = _Sample.model_fields
    return [
        name for name, value in row.fields.items() if name not in known and isinstance(value, int | float)
    ]


def _fields(sample: _Sample, value: object) -> Fields:
    return {
        "id": sample.doc_id,
        "score": float(value) if isinstance(value, bool) else value,
        "content": sample.doc_hash or content_digest(sample.doc),
    }


def _notes(samples: Sequence[_Sample], name: str, among: str, *, n_left_out: int) -> Iterator[str]:
    yield f"lm-evaluation-harness: metric {name}, filter {among}; the file does not name the model"
    if n_left_out:
        yield f"{n_left_out} rows of other filters are left out"
    n_repeated = sum(_n_answers(sample) > 1 for sample in samples)
    if n_repeated:
        yield f"{n_repeated} rows hold several answers and one score: read as one answer a case"


def _n_answers(sample: _Sample) -> int:
    # A multiple-choice question has one entry for each of its choices, which are no repeats.
    only = sample.resps[0] if len(sample.resps) == 1 else None
    return len(only) if isinstance(only, list) else 1
