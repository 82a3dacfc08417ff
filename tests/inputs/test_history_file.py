"""A judge's history: append-only, chained, and remembered by its head."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.domain.canonical import canonical_bytes
from harness.domain.errors import Tampered
from harness.domain.history import AuditKept, JudgedAnchor
from harness.inputs.history_file import HEAD, append_history, head_bytes, history_line, read_history


def audit(number: int) -> AuditKept:
    return AuditKept(
        at=f"2026-01-0{number}T00:00:00Z",
        plan_sha256="a" * 64,
        evidence_sha256=f"{number}" * 64,
        judge_sha256="b" * 64,
        models=("m",),
        fingerprints=(),
        anchors=(JudgedAnchor(id="a1", label="pass", right=True),),
    )


def history(tmp_path: Path, n: int = 3) -> Path:
    path = tmp_path / "history.jsonl"
    for number in range(1, n + 1):
        path.with_name(HEAD).write_bytes(head_bytes(append_history(path, audit(number))))
    return path


def test_audits_are_numbered_and_each_names_the_one_before(tmp_path: Path) -> None:
    entries = read_history(history(tmp_path))

    assert [entry.number for entry in entries] == [1, 2, 3]
    assert [entry.previous for entry in entries] == [None, entries[0].entry, entries[1].entry]


def test_the_same_evidence_is_the_same_audit(tmp_path: Path) -> None:
    path = history(tmp_path)
    before = path.read_bytes()

    assert len(append_history(path, audit(2))) == 3
    assert path.read_bytes() == before


Edit = Callable[[list[bytes]], list[bytes]]


def forged(lines: list[bytes]) -> list[bytes]:
    """Make the second audit right where it was wrong, with the digest of its new content."""
    second = history_line(audit(9), number=2, previous=read_entry(lines[0]))
    return [lines[0], canonical_bytes(second), lines[2]]


def read_entry(line: bytes) -> str:
    return line.split(b'"entry":"')[1][:64].decode()


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (lambda lines: [lines[0].replace(b"true", b"false"), *lines[1:]], "edited: its entry is"),
        (forged, "the history forks here"),
        (lambda lines: [lines[0], lines[2]], "found audit 3, wanted audit 2"),
        (lambda lines: lines[1:], "found audit 2, wanted audit 1"),
        (lambda lines: lines[:-1], "is known and not in it; 2 audits are left"),
        (lambda lines: [], "is known and not in it; 0 audits are left"),
    ],
)
def test_every_edit_shows_a_shortened_end_too(tmp_path: Path, edit: Edit, wanted: str) -> None:
    path = history(tmp_path)
    lines = edit(path.read_bytes().splitlines())
    path.write_bytes(b"".join(line + b"\n" for line in lines))

    with pytest.raises(Tampered, match=wanted):
        read_history(path)


def test_a_last_line_that_breaks_off_shows(tmp_path: Path) -> None:
    path = history(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])

    with pytest.raises(Tampered, match="the last line breaks off"):
        read_history(path)


def test_a_run_that_knows_a_later_audit_shows_what_was_cut_with_its_head(tmp_path: Path) -> None:
    path = history(tmp_path)
    last = read_history(path)[-1].entry
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    path.with_name(HEAD).unlink()

    assert len(read_history(path)) == 2
    with pytest.raises(Tampered, match="is known and not in it"):
        read_history(path, known_entries=(last,))


def test_a_head_that_is_behind_is_no_edit(tmp_path: Path) -> None:
    # The machine stopped after the line was written and before the head was.
    path = history(tmp_path)
    append_history(path, audit(4))

    assert len(read_history(path)) == 4


def test_a_head_that_is_none_is_refused(tmp_path: Path) -> None:
    path = history(tmp_path)
    path.with_name(HEAD).write_text("{}")

    with pytest.raises(Tampered, match="not as the harness writes it"):
        read_history(path)
