"""Text files: the same lines, text and digest whatever they were saved with."""

from hashlib import sha256
from io import BytesIO
from os import mkfifo
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.errors import InputError
from harness.domain.files import numbered_lines, raw_lines, read_text, text_file_digest

texts = st.text(st.sampled_from("ab\n\r\u2028é"), max_size=30)


def test_the_digest_of_a_plain_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("one\ntwo é\n".encode())

    assert text_file_digest(path) == sha256(path.read_bytes()).hexdigest()


@given(texts.filter(lambda text: "\r" not in text))
def test_mark_and_crlf_change_neither_text_nor_digest_nor_lines(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("files")
    plain, marked = folder / "plain", folder / "marked"
    plain.write_bytes(text.encode())
    marked.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    assert read_text(marked) == read_text(plain) == text
    assert text_file_digest(marked) == text_file_digest(plain)
    streams = (BytesIO(path.read_bytes()) for path in (plain, marked))
    first, second = (list(numbered_lines(stream, name="x")) for stream in streams)
    assert first == second


@given(texts)
def test_lines_joined_by_lf_are_the_text_with_its_line_ends(text: str) -> None:
    found = [line for _, line in numbered_lines(BytesIO(text.encode()), name="x")]

    joined = "\n".join(found) + ("\n" if text.endswith("\n") else "")
    assert joined == text.replace("\r\n", "\n").removeprefix("\ufeff")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_limit_is_of_the_line_without_mark_and_end(mark: bytes, end: bytes) -> None:
    stream = BytesIO(mark + b"12345" + end)
    assert list(raw_lines(stream, name="x", max_bytes=5)) == [(1, b"12345")]
    with pytest.raises(InputError, match=r"^x:1: found a line of more than 4 bytes"):
        list(raw_lines(BytesIO(mark + b"12345" + end), name="x", max_bytes=4))


def test_a_pipe_is_refused_since_it_cannot_be_read_again(tmp_path: Path) -> None:
    mkfifo(tmp_path / "pipe")

    with pytest.raises(InputError, match="pipe: found a pipe"):
        read_text(tmp_path / "pipe")


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: no such file"):
        read_text(tmp_path / "none")
    with pytest.raises(InputError, match="found a folder, wanted a file"):
        text_file_digest(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path / "nul\0byte")
