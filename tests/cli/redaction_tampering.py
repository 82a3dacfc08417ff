"""Edits that somebody could make to a copy that withholds texts, each with what `harness verify` must say."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.cli.committed_run import commitments_over
from harness.domain.canonical import canonical_bytes
from harness.redaction.commitments import commitment
from harness.redaction.lines import leaf, read_line
from harness.store.evidence import read_manifest
from tests.cli.tampering import Edit, Place, change_json, change_lines, change_statement, replace_text

LINES, COMMITMENTS = "redacted.jsonl", "commitments.json"
_Line = dict[str, Any]


def change_line(place: Place, kind: str, change: Callable[[_Line], object], *, showing: str = "") -> None:
    """Change the first line of a kind, of those that show a part where one is named."""

    def edit(lines: list[bytes]) -> None:
        for index, content in enumerate(lines):
            line = json.loads(content)
            parts = {each["part"] for each in line["shown"]}
            if line["committed"]["kind"] == kind and (not showing or showing in parts):
                change(line)
                lines[index] = canonical_bytes(line) + b"\n"
                return
        raise AssertionError(f"no line of kind {kind} shows {showing}")

    change_lines(place.run / LINES, edit)


def shown(line: _Line, part: str) -> _Line:
    return next(each for each in line["shown"] if each["part"] == part)


def commit_again(place: Place, *, sign: bool) -> None:
    """Make the commitments fit the lines, and sign them with the pinned key if asked."""
    lines = [read_line(line, place=LINES) for line in (place.run / LINES).read_bytes().splitlines()]
    made = commitments_over([leaf(line) for line in lines], read_manifest(place.run))
    (place.run / COMMITMENTS).write_bytes(canonical_bytes(made))
    if sign:
        change_statement(place, lambda it: None, key=place.key)


def _line(kind: str, change: Callable[[_Line], object], *, showing: str = "") -> Callable[[Place], None]:
    return lambda place: change_line(place, kind, change, showing=showing)


def _shown(part: str, change: Callable[[_Line], object]) -> Callable[[Place], None]:
    return _line("record", lambda line: change(shown(line, part)), showing=part)


def _clear(kind: str, change: Callable[[_Line], object]) -> Callable[[Place], None]:
    return _line(kind, lambda line: change(line["committed"]["clear"]))


def _lines(change: Callable[[list[bytes]], object]) -> Callable[[Place], None]:
    return lambda place: change_lines(place.run / LINES, change)


def _bytes(change: Callable[[bytes], bytes]) -> Callable[[Place], None]:
    def edit(place: Place) -> None:
        (place.run / LINES).write_bytes(change((place.run / LINES).read_bytes()))

    return edit


def _copied(*names: str) -> Callable[[Place], None]:
    def edit(place: Place) -> None:
        for name in names:
            (place.run / name).write_bytes((place.other / name).read_bytes())

    return edit


def _gone(name: str) -> Callable[[Place], None]:
    return lambda place: (place.run / name).unlink()


def _swap(lines: list[bytes]) -> None:
    lines[-1], lines[-2] = lines[-2], lines[-1]


def _salted_anew(place: Place) -> None:
    """Commit to the same texts with other salts, as a copy made with another run's secret would."""

    def salt(line: _Line) -> None:
        for part in line["shown"]:
            part["salt"] = "ab" * 32
            _recommit(line, part["part"])

    change_line(place, "record", salt)


def _salted_and_committed_anew(place: Place) -> None:
    _salted_anew(place)
    commit_again(place, sign=False)


def _recommit(line: _Line, part: str) -> None:
    opening = shown(line, part)
    for each in line["committed"]["parts"]:
        if each["part"] == part:
            each["commitment"] = commitment(bytes.fromhex(opening["salt"]), opening["content"])


def _turn(line: _Line) -> None:
    verdict = shown(line, "verdict")["content"]
    verdict["label"] = "good" if verdict["label"] == "bad" else "bad"
    _recommit(line, "verdict")


def _turned_and_signed(*, with_its_text: bool) -> Callable[[Place], None]:
    """The holder of the pinned key commits to a verdict that the vote did not give."""

    def edit(place: Place) -> None:
        def is_wanted(line: _Line) -> bool:
            parts = {each["part"] for each in line["shown"]}
            about = line["committed"]["clear"]
            vote = line["committed"]["kind"] == "record" and about["role"] == "vote"
            return vote and about["subject"]["kind"] == "case" and ("response" in parts) == with_its_text

        def edit_lines(lines: list[bytes]) -> None:
            index = next(n for n, line in enumerate(lines) if is_wanted(json.loads(line)))
            line = json.loads(lines[index])
            _turn(line)
            lines[index] = canonical_bytes(line) + b"\n"

        change_lines(place.run / LINES, edit_lines)
        commit_again(place, sign=True)

    return edit


def _without(part: str) -> Callable[[_Line], object]:
    return lambda line: line.update(shown=[each for each in line["shown"] if each["part"] != part])


def _twice(line: Mapping[str, Any]) -> None:
    line["shown"].append(line["shown"][0])


def _uncommitted(line: _Line) -> None:
    line["shown"].append({"part": "prompt", "salt": "00" * 32, "content": {"prompt": "another"}})


_WRONG_ROOT = "a line was changed, or made with the wrong salts"
_UNSIGNED = "commitments.json: found sha256"

COPY_EDITS: tuple[Edit, ...] = (
    Edit(
        "a text that is shown: the wrong salt",
        _shown("response", lambda it: it.update(salt="00" * 32)),
        "response: does not open its commitment: it is another text, or the salt is the wrong one",
    ),
    Edit(
        "a text that is shown: edited",
        _shown("response", lambda it: it["content"]["response"].update(body="{}")),
        "response: does not open its commitment",
    ),
    Edit("a line committed to with the wrong salts", _salted_anew, _WRONG_ROOT),
    Edit(
        "a line committed to with the wrong salts, and the commitments made to fit",
        _salted_and_committed_anew,
        _UNSIGNED,
    ),
    Edit(
        "a verdict turned",
        _shown("verdict", lambda it: it["content"].update(label="good")),
        "verdict: does not open its commitment",
    ),
    Edit("a verdict turned, and committed to", _line("record", _turn, showing="verdict"), _WRONG_ROOT),
    Edit(
        "a verdict withheld",
        _line("record", _without("verdict")),
        "verdict: withheld, and numbers of the report rest on it",
    ),
    Edit("a part shown twice", _line("record", _twice), "a part stands there twice"),
    Edit("a text that nobody committed to", _line("record", _uncommitted), "nobody committed to it"),
    Edit("a record dropped", _lines(lambda it: it.pop()), "the commitments count"),
    Edit("a case dropped", _lines(lambda it: it.pop(5)), "the commitments count"),
    Edit("two records change places", _lines(_swap), _WRONG_ROOT),
    Edit(
        "a record about another case",
        _clear("record", lambda it: it["subject"].update(id="c00")),
        _WRONG_ROOT,
    ),
    Edit("a call that never failed", _clear("record", lambda it: it.update(failed=True)), _WRONG_ROOT),
    Edit("a case with another weight", _clear("case", lambda it: it["fields"].update(weight=2)), _WRONG_ROOT),
    Edit(
        "an anchor with another review",
        _clear("anchor", lambda it: it["fields"]["reviews"][0].update(label="bad")),
        _WRONG_ROOT,
    ),
    Edit(
        "another margin",
        _clear("plan", lambda it: it["fields"]["experiment"]["analysis"].update(margin=0.2)),
        _WRONG_ROOT,
    ),
    Edit(
        "a line that says not what it is about",
        _clear("record", lambda it: it.pop("subject")),
        "says not what",
    ),
    Edit("a line in other bytes", _bytes(lambda it: it.replace(b'","', b'", "', 1)), "not in the bytes"),
    Edit(
        "a key twice",
        _bytes(lambda it: it.replace(b'"kind":', b'"kind":"case","kind":', 1)),
        "not a line of a redacted run",
    ),
    Edit("bytes behind the last line", _bytes(lambda it: it + b"{}"), "not a line of a redacted run"),
    Edit("the lines taken away", _gone(LINES), "evidence.jsonl: is signed and missing"),
    Edit("the lines of another run", _copied(LINES), _WRONG_ROOT),
    Edit("lines and commitments of another run", _copied(LINES, COMMITMENTS), _UNSIGNED),
    Edit(
        "commitments edited",
        lambda p: change_json(p.run / COMMITMENTS, lambda it: it.update(n_records=1)),
        _UNSIGNED,
    ),
    Edit("commitments taken away", _gone(COMMITMENTS), "commitments.json: is signed and missing"),
    Edit(
        "evidence of one's own beside it",
        lambda p: (p.run / "evidence.jsonl").write_bytes(b"") and None,
        "evidence.jsonl: found sha256",
    ),
    Edit(
        "report: the verdict turned",
        lambda p: replace_text(p.run / "report.json", '"improvement"', '"equivalent"'),
        "report.json: found sha256",
    ),
    Edit(
        "right key: a verdict that its text does not say",
        _turned_and_signed(with_its_text=True),
        "its text reads",
    ),
    Edit(
        "right key: a verdict whose text is withheld, turned",
        _turned_and_signed(with_its_text=False),
        "recompute: does not follow from the evidence",
    ),
)


def copies(root: Path) -> tuple[Path, Path]:
    """Return where the copy that is spoilt, and another one, are under a folder."""
    return root / "copy", root / "other"
