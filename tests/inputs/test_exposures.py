"""What was shown is on record, none taken back; what was shown moves, and what belongs with it."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.canonical import canonical_bytes
from harness.domain.cases import Case
from harness.domain.errors import Tampered
from harness.domain.exposure import ExposedCase, Exposure
from harness.domain.specs import SplitSpec
from harness.inputs.exposures import (
    Showing,
    append_exposure,
    exposed_cases,
    known_until,
    make_exposure,
    read_exposures,
    refuse_unrecorded,
)
from harness.inputs.ledger import Opening, make_look
from harness.inputs.moving import must_move, shown_ids
from harness.inputs.similar import near_duplicates

RUN = "a" * 64


def case(name: str, prompt: str | None = None, cluster: str | None = None) -> Case:
    return Case(id=name, prompt=prompt or f"The prompt of {name}", cluster=cluster)


def showing(*names: str, **fields: object) -> Showing:
    made = Showing(
        "2026-01-01T00:00:00+00:00", "small", RUN, "b" * 64, "report", exposed_cases(map(case, names))
    )
    return made._replace(**fields)  # type: ignore[arg-type]


def record(tmp_path: Path) -> Path:
    path = tmp_path / "exposures.jsonl"
    append_exposure(path, showing("x", "y"))
    append_exposure(path, showing("z", run="c" * 64))
    append_exposure(path, showing("v", shown_by="prove"))
    return path


def test_what_was_appended_is_what_is_read(tmp_path: Path) -> None:
    exposures = read_exposures(record(tmp_path))

    assert [[each.id for each in exposure.cases] for exposure in exposures] == [["x", "y"], ["z"], ["v"]]
    assert [exposure.previous for exposure in exposures] == [None, *(each.entry for each in exposures[:2])]


def test_only_what_is_new_of_a_run_is_written(tmp_path: Path) -> None:
    path = record(tmp_path)

    assert len(append_exposure(path, showing("y", "x"))) == 3
    assert len(append_exposure(path, showing("x", shown_by="compare"))) == 3
    assert [each.id for each in append_exposure(path, showing("x", "w"))[-1].cases] == ["w"]


def test_a_report_of_a_look_that_shows_no_case_leaves_a_line_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "exposures.jsonl"

    assert len(append_exposure(path, showing())) == 1
    assert len(append_exposure(path, showing())) == 1
    assert len(append_exposure(path, showing(run="c" * 64, shown_by="prove"))) == 1


@pytest.mark.parametrize("n_left", [0, 1, 2])
def test_a_record_that_was_cut_short_shows_to_whoever_knows_an_entry(tmp_path: Path, n_left: int) -> None:
    path = record(tmp_path)
    last = read_exposures(path)[-1].entry
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:n_left]))

    with pytest.raises(Tampered, match=f"known and not in it; {n_left} exposures are left"):
        read_exposures(path, known_entries=[last])
    with pytest.raises(Tampered, match=f"known and not in it; {n_left} exposures are left"):
        known_until(read_exposures(path), last, path)


def test_a_look_whose_exposure_was_taken_off_shows_beside_the_ledger_of_looks(tmp_path: Path) -> None:
    path = record(tmp_path)
    look = make_look(Opening("2026", "small", "c" * 64, "b" * 64, "numbers"), number=1, previous=None)
    refuse_unrecorded([look], read_exposures(path), path)
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])

    with pytest.raises(Tampered, match="does not tell what look 1"):
        refuse_unrecorded([look], read_exposures(path), path)
    decision = look.model_copy(update={"released": "decision"})
    refuse_unrecorded([decision], read_exposures(path), path)


@given(st.data())
def test_no_single_byte_can_be_changed_unseen(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = record(tmp_path_factory.mktemp("record"))
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] = data.draw(st.integers(0, 255).filter(lambda value: value != content[position]))
    path.write_bytes(bytes(content))

    with pytest.raises(Tampered):
        read_exposures(path)


def test_a_fork_shows(tmp_path: Path) -> None:
    path = tmp_path / "exposures.jsonl"
    first = make_exposure(showing("x"), number=1, previous=None)
    left = make_exposure(showing("y"), number=2, previous=first.entry)
    right = make_exposure(showing("z"), number=3, previous=first.entry)
    path.write_bytes(b"".join(canonical_bytes(each) + b"\n" for each in (first, left, right)))

    with pytest.raises(Tampered, match="the record forks here"):
        read_exposures(path)


_WRITER = """
import sys
from pathlib import Path
from harness.domain.exposure import ExposedCase
from harness.inputs.exposures import Showing, append_exposure
path, name = Path(sys.argv[1]), sys.argv[2]
for number in range(20):
    cases = (ExposedCase(id=f"{name}-{number}", prompt="d" * 64),)
    append_exposure(path, Showing("2026", "small", "a" * 64, "b" * 64, "prove", cases))
"""


def test_two_processes_at_once_write_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "exposures.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name]) for name in ("one", "two")]

    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]

    names = [each.cases[0].id for each in read_exposures(path)]
    for writer in ("one", "two"):
        assert [name for name in names if name.startswith(writer)] == [f"{writer}-{n}" for n in range(20)]


def exposure(*cases: Case) -> Exposure:
    return make_exposure(showing(cases=exposed_cases(cases)), number=1, previous=None)


def test_a_case_was_shown_under_its_id_or_under_another_one_with_its_prompt() -> None:
    known = exposure(case("old", "The  same prompt"), case("edited", "as it was"))
    cases = [
        case("new name", "The same\u200b prompt"),
        case("edited", "as it is now"),
        case("other"),
        case("exploratory", "The same prompt"),
    ]

    assert shown_ids(cases, {"new name", "edited", "other"}, [known]) == {"new name", "edited"}


def split(similarity: float | None = None) -> SplitSpec:
    return SplitSpec(salt="s", held_out=0.5, by="cluster", similarity=similarity)


def test_a_cluster_an_equal_prompt_and_what_belongs_to_them_move_along() -> None:
    cases = [
        case("shown", cluster="doc"),
        case("mate", "asked twice", cluster="doc"),
        case("twin", "asked  twice", cluster="other doc"),
        case("mate of the twin", cluster="other doc"),
        case("stays"),
    ]

    moved = must_move(cases, {each.id for each in cases}, ["shown"], split())

    assert moved == {"shown", "mate", "twin", "mate of the twin"}


def test_near_duplicates_move_along_and_so_on() -> None:
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    cases = [case(f"c{n}", " ".join(words[: 10 - n])) for n in range(8)]

    assert must_move(cases, {"c0", "c1", "c2"}, ["c0"], split()) == {"c0"}
    # Each prompt is one word shorter than the last: like its neighbours, and not like the others.
    assert must_move(cases, {each.id for each in cases}, ["c0"], split(0.8)) == {f"c{n}" for n in range(6)}


@given(
    st.lists(
        st.tuples(st.sampled_from("pqr"), st.lists(st.sampled_from("abc"), min_size=1, max_size=4)),
        max_size=10,
    ),
    st.sets(st.integers(0, 9)),
    st.sampled_from([None, 0.3, 0.6, 1.0]),
)
def test_nothing_that_stays_belongs_to_what_moved(drawn, first, similarity) -> None:
    cases = [case(f"c{n}", " ".join(words), cluster) for n, (cluster, words) in enumerate(drawn)]
    shown = [f"c{n}" for n in first if n < len(cases)]

    moved = must_move(cases, {each.id for each in cases}, shown, split(similarity))

    stays = [each for each in cases if each.id not in moved]
    gone = [each for each in cases if each.id in moved]
    assert set(shown) <= moved
    assert not {each.group for each in stays} & {each.group for each in gone}
    assert not {each.prompt for each in stays} & {each.prompt for each in gone}
    sides = ["exploratory" if each.id in moved else "held_out" for each in cases]
    assert similarity is None or not list(near_duplicates(cases, sides, at_least=similarity))
    assert shown or not moved


def test_an_exposed_case_is_named_without_its_text() -> None:
    (named,) = exposed_cases([case("x", "A secret question")])

    assert named == ExposedCase(id="x", prompt=named.prompt)
    assert "secret" not in named.model_dump_json()
