"""TOML files into records: every complaint with its line and its key."""

from pathlib import Path

import pytest
from project import EXPERIMENT, Project, said

from harness.domain.errors import InputError
from harness.domain.specs import Experiment
from harness.inputs.toml import line_of, read_toml


def complaint(tmp_path: Path, text: str) -> str:
    path = tmp_path / "e.toml"
    path.write_bytes(text.encode("utf-8"))
    with pytest.raises(InputError) as caught:
        read_toml(path, Experiment)
    return said(caught.value, tmp_path)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("0", "found 0, wanted at least 1"),
        ("-1", "found -1, wanted at least 1"),
        ("9999999999", "found 9999999999, wanted at most 1000"),
        ("2.5", "found 2.5, wanted a whole number"),
        ('"3"', 'found "3", wanted a whole number'),
        ("true", "found true, wanted a whole number"),
    ],
)
def test_repeats_are_a_whole_number_from_1_to_1000_and_text_is_none(
    project: Project, written: str, found: str
) -> None:
    project.replace("experiment.toml", "answers = 3", f"answers = {written}")

    assert project.complaint() == f"experiment.toml:25: repeats.answers: {found}"


def test_one_repeat_is_one_answer_a_case(project: Project) -> None:
    project.replace("experiment.toml", "answers = 3", "answers = 1")

    assert project.load().experiment.repeats.answers == 1


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("[repeats]", "[repeat]", "e.toml:24: unknown key 'repeat'; did you mean 'repeats'?"),
        ("margin = 0.05", "margn = 0.05", "e.toml:29: unknown key 'analysis.margn'; did you mean 'margin'?"),
        ("margin = 0.05", "margin = 5", "e.toml:29: analysis.margin: found 5, wanted less than 1"),
        ("margin = 0.05", "", "e.toml:28: analysis.margin: missing, wanted a number"),
        (
            "seed = 1",
            "seed = 1\nzzz = 1",
            "e.toml:31: unknown key 'analysis.zzz'; known are estimand, primary",
        ),
        ('name = "small"', "", "e.toml: name: missing, wanted text"),
        (
            'replies = "replies.jsonl"',
            "sampling = { n = 2 }",
            'e.toml:5: arm.baseline.replies: wanted with backend = "recorded"',
        ),
        (
            'model = "m"',
            'model = "m"\nsampling = { n = 2 }',
            "e.toml:8: arm.baseline.sampling.n: not a sampling setting; the harness sets it",
        ),
        (
            'model = "m"',
            'model = "m"\nsampling = { day = 2020-01-01 }',
            "e.toml:8: arm.baseline.sampling.day: found a date (2020-01-01), wanted text in quotes",
        ),
        (
            'model = "m"',
            'model = "m"\nsampling.temperature = nan',
            "e.toml:8: arm.baseline.sampling.temperature: found nan, wanted a finite number",
        ),
        (
            "seed = 1",
            "seed = 9007199254740993",
            "e.toml:30: analysis.seed: found 9007199254740993, wanted a whole number within 2**53",
        ),
        ("seed = 1", "seed =", "e.toml:30: not TOML: Invalid value (column 7)"),
        ("seed = 1", "seed = 1\nseed = 2", "e.toml:31: not TOML: Cannot overwrite a value"),
        ("seed = 1", 'why = """no end', "e.toml:31: not TOML: Unterminated string"),
    ],
)
def test_a_bad_setting_is_told_with_line_key_found_and_wanted(
    tmp_path: Path, old: str, new: str, wanted: str
) -> None:
    assert old in EXPERIMENT

    assert complaint(tmp_path, EXPERIMENT.replace(old, new, 1)).startswith(wanted)


@pytest.mark.parametrize(
    "line",
    [
        'headers = "Bearer sk-secret1234"',
        'base_url = "sk-secret1234"',
        'api_key_env = "sk-secret1234"',
        'api_key = "sk-secret1234"',
        'headers = { Authorization = "Bearer sk-secret1234" }',
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_never_printed(tmp_path: Path, line: str) -> None:
    found = complaint(tmp_path, EXPERIMENT.replace('model = "m"', f'model = "m"\n{line}', 1))

    assert found.startswith("e.toml:")
    assert "secret1234" not in found


def test_a_file_saved_with_mark_and_crlf_is_the_same_experiment(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.toml", tmp_path / "marked.toml"
    plain.write_bytes(EXPERIMENT.encode())
    marked.write_bytes(b"\xef\xbb\xbf" + EXPERIMENT.replace("\n", "\r\n").encode())

    assert read_toml(marked, Experiment) == read_toml(plain, Experiment)


def test_bytes_that_are_no_utf_8_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "e.toml"
    path.write_bytes(b'name = "a"\ngold = "\xe9"\n')

    with pytest.raises(InputError) as caught:
        read_toml(path, Experiment)

    assert said(caught.value, tmp_path) == "e.toml:2: found the byte 0xe9, wanted UTF-8"


DOCUMENT = '''\
top = 1
"quoted key" = 2
long = """
[fake]
inside = 1
"""
[a.b]
c = 1
d.e = 2
[[list]]
x = 1
'''


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("top",), 1),
        (("quoted key",), 2),
        (("fake", "inside"), None),
        (("a", "b", "c"), 8),
        (("a", "b", "d", "e"), 9),
        (("a", "b", "missing"), 7),
        (("list", 0, "x"), 11),
        (("nowhere",), None),
    ],
)
def test_a_key_is_found_on_its_line_and_a_missing_one_at_its_table(
    keys: tuple[str | int, ...], line: int | None
) -> None:
    assert line_of(DOCUMENT, keys) == line
