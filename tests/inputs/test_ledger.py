"""The ledger of looks: append-only, chained, safe under two processes."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import said

from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError, Tampered
from harness.inputs.ledger import Opening, append_look, make_look, read_looks

A, B = "a" * 64, "b" * 64


def opening(**fields: str | float) -> Opening:
    known = {"opened_at": "2026-01-01T00:00:00+00:00", "gold": "small", "run": A, "plan_sha256": B}
    return Opening(**{**known, "released": "numbers", **fields})  # type: ignore[arg-type]


def ledger(tmp_path: Path, n_looks: int = 3) -> Path:
    path = tmp_path / "looks.jsonl"
    for number in range(n_looks):
        append_look(path, opening(opened_at=f"2026-01-0{number + 1}T00:00:00+00:00"), at_most=None)
    return path


def complaint(path: Path, *, known: tuple[str, ...] = ()) -> str:
    with pytest.raises(Tampered) as caught:
        read_looks(path, known_entries=known)
    return said(caught.value, path.parent)


def test_a_ledger_that_is_not_there_holds_no_look(tmp_path: Path) -> None:
    assert read_looks(tmp_path / "looks.jsonl") == ()


def test_looks_are_numbered_and_each_names_the_one_before(tmp_path: Path) -> None:
    looks = read_looks(ledger(tmp_path))

    assert [look.number for look in looks] == [1, 2, 3]
    assert [look.previous for look in looks] == [None, looks[0].entry, looks[1].entry]


def test_what_was_appended_is_what_is_read(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    look = append_look(path, opening(released="decision", alpha=0.01), at_most=None)

    assert read_looks(path)[-1] == look
    assert (look.released, look.alpha) == ("decision", 0.01)


def test_line_ends_of_another_platform_are_no_edit(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert len(read_looks(path)) == 3


Edit = Callable[[list[bytes]], list[bytes]]


def edited_time(lines: list[bytes]) -> list[bytes]:
    return [lines[0].replace(b"2026-01-01", b"2025-01-01"), *lines[1:]]


def forged_entry(lines: list[bytes]) -> list[bytes]:
    """Edit the second look and give it the digest of its new content."""
    second = json.loads(lines[1])
    look = make_look(opening(gold="other"), number=2, previous=second["previous"])
    return [lines[0], canonical_bytes(look), lines[2]]


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (edited_time, "looks.jsonl:1: edited: its entry is "),
        (forged_entry, "looks.jsonl:3: follows "),
        (lambda lines: lines[1:], "looks.jsonl:1: found look 2, wanted look 1"),
        (lambda lines: [lines[0], lines[2]], "looks.jsonl:2: found look 3, wanted look 2"),
        (lambda lines: [lines[1], lines[0], lines[2]], "looks.jsonl:1: found look 2, wanted look 1"),
        (lambda lines: [*lines, lines[2]], "looks.jsonl:4: found look 3, wanted look 4"),
        (
            lambda lines: [lines[0].replace(b":1,", b": 1,"), *lines[1:]],
            "looks.jsonl:1: not the bytes that were",
        ),
        (
            lambda lines: [lines[0].replace(b":1,", b":1.0,"), *lines[1:]],
            "looks.jsonl:1: no look: number: found 1.0",
        ),
        (lambda lines: [lines[0][:-1] + b',"x":1}', *lines[1:]], "looks.jsonl:1: no look: unknown key 'x'"),
        (
            lambda lines: [lines[0][:-1] + b',"number":1}', *lines[1:]],
            "looks.jsonl:1: no look: key 'number' occurs",
        ),
        (lambda lines: [*lines, b""], "looks.jsonl:4: no look: "),
        (lambda lines: [*lines, b"\xff"], "looks.jsonl:4: no look: "),
    ],
)
def test_every_edit_of_the_chain_shows(tmp_path: Path, edit: Edit, wanted: str) -> None:
    path = ledger(tmp_path)
    lines = path.read_bytes().split(b"\n")[:-1]

    path.write_bytes(b"".join(line + b"\n" for line in edit(lines)))

    assert complaint(path).startswith(wanted)
    with pytest.raises(Tampered):
        append_look(path, opening(), at_most=None)


def test_a_fork_shows_where_two_looks_follow_the_same_one(tmp_path: Path) -> None:
    path = ledger(tmp_path, 1)
    first = read_looks(path)[0]
    left = make_look(opening(gold="left"), number=2, previous=first.entry)
    right = make_look(opening(gold="right"), number=3, previous=first.entry)

    path.write_bytes(b"".join(canonical_bytes(look) + b"\n" for look in (first, left, right)))

    assert (
        complaint(path) == f"looks.jsonl:3: follows {first.entry}, wanted {left.entry}: the ledger forks here"
    )


def test_a_line_that_breaks_off_shows(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])

    assert complaint(path) == "looks.jsonl:3: the last line breaks off"


def test_a_shortened_or_missing_ledger_shows_to_whoever_knows_an_entry(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    last = read_looks(path)[-1].entry
    path.write_bytes(b"".join(line + b"\n" for line in path.read_bytes().split(b"\n")[:2]))

    assert (
        complaint(path, known=(last,))
        == f"looks.jsonl: the look {last} is known and not in it; 2 looks are left"
    )
    path.unlink()
    assert (
        complaint(path, known=(last,))
        == f"looks.jsonl: the look {last} is known and not in it; 0 looks are left"
    )


def test_looks_past_the_budget_are_refused_and_not_written(tmp_path: Path) -> None:
    path = ledger(tmp_path, 2)

    with pytest.raises(InputError, match="2 of 2 looks are used up"):
        append_look(path, opening(), at_most=2)

    assert len(read_looks(path)) == 2


def test_a_folder_that_is_not_there_is_a_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: No such file"):
        append_look(tmp_path / "none" / "looks.jsonl", opening(), at_most=None)


_WRITER = """
import sys
from pathlib import Path
from harness.inputs.ledger import Opening, append_look
path, name = Path(sys.argv[1]), sys.argv[2]
for number in range(20):
    append_look(path, Opening(f"{name}-{number}", "small", "a" * 64, "b" * 64, "numbers"), at_most=None)
"""


def test_two_processes_at_once_write_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "looks.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name]) for name in ("one", "two")]

    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]

    looks = read_looks(path)
    assert [look.number for look in looks] == list(range(1, 41))
    for name in ("one", "two"):
        mine = [look.opened_at for look in looks if look.opened_at.startswith(name)]
        assert mine == [f"{name}-{number}" for number in range(20)]


@given(st.data())
def test_no_single_byte_can_be_changed_unseen(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = ledger(tmp_path_factory.mktemp("ledger"), 2)
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != content[position]))
    content[position] = byte
    path.write_bytes(bytes(content))

    with pytest.raises(Tampered):
        read_looks(path)
