"""A log of Inspect, as ``.eval`` (a zip of JSON members) or ``.json``.

Source: https://inspect.aisi.org.uk/eval-logs.html and, for who grades when no
model is named, https://inspect.aisi.org.uk/model-graded.html.
"""

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.domain.errors import InputError
from harness.domain.files import open_input
from harness.importers.table import Fields, TableRow
from harness.importers.tool_log import Json, Part, ToolLog, chosen, content_digest, log_json, read_part

MAX_MEMBER_BYTES = 256 * 2**20
"""The largest sample that is unpacked, in bytes."""

# Inspect's own letters: correct, incorrect, partial. N, no answer, is no verdict here and is
# counted: whether silence fails is for the reader to decide, not for the log.
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": None}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class _Score(Part):
    value: Any = None


class _Sample(Part):
    id: int | str
    epoch: int = 1
    input: Any = None
    choices: Any = None
    target: Any = None
    scores: dict[str, _Score] | None = None
    error: Any = None


class _Scorer(Part):
    name: str
    options: dict[str, Any] = Field(default_factory=dict)


class _Dataset(Part):
    samples: int | None = None


class _About(Part):
    task: str
    model: str
    dataset: _Dataset = _Dataset()
    scorers: tuple[_Scorer, ...] | None = None
    model_roles: dict[str, Any] | None = None


class _Log(Part):
    status: str
    eval: _About
    samples: tuple[_Sample, ...] | None = None


def is_inspect(document: Json) -> bool:
    """Return whether a JSON document is a log of Inspect."""
    return {"version", "status", "eval"} <= document.keys()


def read_inspect(path: Path, document: Json | None, *, metric: str | None) -> ToolLog:
    """Read one log.

    Epochs are repeats. A scorer is chosen by ``metric``, as ``scorer/key`` where
    it gives several values.

    Args:
        path: The log.
        document: What a ``.json`` log holds; null for ``.eval``.
        metric: The scorer that counts; null where there is one only.

    Raises:
        InputError: It cannot be read, has no score, or has several and none is named.
    """
    log = read_part(_Log, _unpacked(path) if document is None else document, where=str(path))
    if not log.samples:
        raise InputError(f"{path}: found no sample in this log (status {log.status!r})")
    samples = sorted(log.samples, key=lambda sample: (str(sample.id), sample.epoch))
    scores = [_scores(sample) for sample in samples]
    names = list(dict.fromkeys(name for found in scores for name in found))
    name = chosen(names, metric, path=path, what="scorers", option="--metric")
    rows = tuple(
        TableRow(number, _fields(sample, found.get(name)))
        for number, (sample, found) in enumerate(zip(samples, scores, strict=True), start=1)
    )
    grader = _graded_by(log.eval, name)
    n_silent = sum(found.get(name) == "N" for found in scores)
    return ToolLog("Inspect", rows, grader, tuple(_notes(log, samples, grader, n_silent)))


def _unpacked(path: Path) -> Json:
    try:
        with open_input(path) as stream, zipfile.ZipFile(stream) as archive:
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            header = _member(archive, "header.json", path)
            return {**header, "samples": [_member(archive, name, path) for name in names]}
    # A way of packing that is not known, offsets that point nowhere and a name that is no UTF-8 have no type
    # of their own.
    except (zipfile.BadZipFile, NotImplementedError, OSError, zlib.error, EOFError, ValueError) as error:
        raise InputError(f"{path}: not a zip that can be read: {error}") from error


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Json:
    try:
        with archive.open(name) as stream:
            content = stream.read(MAX_MEMBER_BYTES + 1)
    except (KeyError, RuntimeError) as error:
        raise InputError(
            f"{path}: {name}: cannot be read: the log was never finished, or is locked"
        ) from error
    if len(content) > MAX_MEMBER_BYTES:
        raise InputError(f"{path}: {name}: found more than {MAX_MEMBER_BYTES} bytes, the most unpacked")
    try:
        found = log_json(content.decode("utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: {name}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: {name}: found {type(found).__name__}, wanted an object")
    return found


def _scores(sample: _Sample) -> dict[str, Any]:
    """Return the values of a sample by the names that choose them."""
    found: dict[str, Any] = {}
    for scorer, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            found.update({f"{scorer}/{key}": part for key, part in score.value.items()})
        else:
            found[scorer] = score.value
    return found


def _fields(sample: _Sample, value: object) -> Fields:
    return {
        "id": sample.id,
        "repeat": sample.epoch - 1,
        "score": _score(value),
        "error": bool(sample.error) or None,
        "content": content_digest([sample.input, sample.choices, sample.target]),
    }


def _score(value: object) -> object:
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        return value
    if value in _LETTERS:
        return _LETTERS[value]
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    # Any other text goes on as it is: the reader of rows takes numbers and refuses the rest.
    return value


def _graded_by(about: _About, name: str) -> str:
    """Return the scorer with its options, and the model behind it where one grades."""
    scorer = name.partition("/")[0]
    options = next((dict(found.options) for found in about.scorers or () if found.name == scorer), {})
    if scorer.startswith("model_graded") and not options.get("model"):
        options["model"] = (about.model_roles or {}).get("grader") or about.model
    said = ", ".join(f"{key} = {value}" for key, value in sorted(options.items()))
    return f"{name} ({said})" if said else name


def _notes(log: _Log, samples: Sequence[_Sample], grader: str, n_silent: int) -> Iterator[str]:
    about = log.eval
    yield f"Inspect log: task {about.task}, model {about.model}, graded by {grader}"
    if log.status != "success":
        yield f"the log's status is {log.status!r}: it may lack cases"
    n_cases = len({sample.id for sample in samples})
    if about.dataset.samples is not None and about.dataset.samples > n_cases:
        yield f"{n_cases} of the dataset's {about.dataset.samples} samples are in the log"
    if n_silent:
        yield f"{n_silent} answers are marked N (no answer): no verdict, not a fail"
