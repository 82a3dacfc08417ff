"""Writing files so that at any moment the old ones or the new ones are there, whole."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(*paths: Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Open a file beside each path, and put them in their places once all are whole and on disk.

    The paths are in one folder. Where the body raises, all stay as they were.
    """
    fresh = [path.with_name(path.name + ".new") for path in paths]
    try:
        with ExitStack() as files:
            streams = tuple(files.enter_context(name.open("wb")) for name in fresh)
            yield streams
            for stream in streams:
                stream.flush()
                os.fsync(stream.fileno())
    except BaseException:
        for name in fresh:
            name.unlink(missing_ok=True)
        raise
    for name, path in zip(fresh, paths, strict=True):
        name.replace(path)
    _sync_folder(paths[0].parent)


def replace_bytes(path: Path, content: bytes) -> None:
    """Write a whole file in place of ``path``."""
    with replacing(path) as (stream,):
        stream.write(content)


def _sync_folder(folder: Path) -> None:
    # A name is on disk once its folder is.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
