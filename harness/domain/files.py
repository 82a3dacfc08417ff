"""Reading a text file that someone wrote: its lines, its text, its digest.

Every file is UTF-8, with or without a byte-order mark. Only LF ends a line; one
CR before it belongs to the end. A file has the same lines, text and digest
whichever of the two line ends it was saved with.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from harness.domain.errors import InputError

MAX_LINE_BYTES = 16 * 2**20
"""The longest line that is read, in bytes, without its end."""

_BOM = b"\xef\xbb\xbf"


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes.

    A pipe is refused: a file is read for its content and again for its digest.

    Raises:
        InputError: There is no such file, or it cannot be read.
    """
    if path.is_fifo() or path.is_socket():
        raise InputError(f"{path}: found a pipe, wanted a file that can be read again")
    try:
        stream = path.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: found a folder, wanted a file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: cannot be read: {reason}") from error
    with stream:
        yield stream


def raw_lines(stream: BinaryIO, *, name: str, max_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes]]:
    """Yield the number of every line, from 1, and its bytes without mark and end.

    One line is held at a time, so memory does not grow with the file.

    Raises:
        InputError: A line is longer than ``max_bytes``; ``name`` says of which file.
    """
    number = 0
    # More than is allowed: the longest line there may be still has its mark and its end.
    while line := stream.readline(len(_BOM) + max_bytes + 2):
        number += 1
        if number == 1 and not (line := line.removeprefix(_BOM)):
            return
        if line.endswith(b"\n"):
            line = line[:-2] if line.endswith(b"\r\n") else line[:-1]
        if len(line) > max_bytes:
            raise InputError(
                f"{name}:{number}: found a line of more than {max_bytes} bytes, the longest read"
            )
        yield number, line


def numbered_lines(
    stream: BinaryIO, *, name: str, max_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, str]]:
    """Yield the number of every line, from 1, and its text without mark and end.

    Raises:
        InputError: A line is too long or not UTF-8.
    """
    for number, line in raw_lines(stream, name=name, max_bytes=max_bytes):
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{name}:{number}: found the byte 0x{line[error.start]:02x} at byte {error.start + 1} "
                "of the line, wanted UTF-8"
            ) from error


def read_text(path: Path) -> str:
    """Return the text of a file, without mark and with LF for every line end.

    Raises:
        InputError: The file cannot be read or is not UTF-8.
    """
    with open_input(path) as stream:
        content = stream.read().removeprefix(_BOM).replace(b"\r\n", b"\n")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}: found the byte 0x{content[error.start]:02x}, wanted UTF-8"
        ) from error


def text_file_digest(path: Path) -> str:
    """Return the SHA-256 of a text file, whichever line ends it was saved with.

    For a file with LF ends and no mark it is the SHA-256 of the file's bytes,
    what ``sha256sum`` prints.

    Raises:
        InputError: The file cannot be read.
    """
    seen = hashlib.sha256()
    with open_input(path) as stream:
        for number, line in enumerate(stream):
            text = line.removeprefix(_BOM) if number == 0 else line
            seen.update(text[:-2] + b"\n" if text.endswith(b"\r\n") else text)
    return seen.hexdigest()
