"""The bytes of a sealed run, measured: what `harness verify` holds against the manifest."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from harness.domain.errors import StoreError
from harness.store.merkle import MerkleRoot

BUFFER = 2**20
"""Bytes read at a time: a large run is read with fewer calls to the system than Python's own size takes."""


class Measured(NamedTuple):
    """A file of records: how many lines, the digest of its bytes."""

    n_lines: int
    sha256: str


def measure(path: Path, *, tree: MerkleRoot | None = None) -> Measured:
    """Return what a file of lines comes to; nothing in it is parsed or held.

    Args:
        path: The file. What stands after its last line end is a line too.
        tree: Takes every line as a leaf, without its end.

    Raises:
        StoreError: It cannot be read.
    """
    seen, n_lines = hashlib.sha256(), 0
    try:
        with path.open("rb", buffering=BUFFER) as stream:
            for line in stream:
                n_lines += 1
                seen.update(line)
                if tree is not None:
                    tree.add(line.removesuffix(b"\n"))
    except OSError as cause:
        raise StoreError(f"{path}: cannot be read: {cause.strerror}") from cause
    return Measured(n_lines=n_lines, sha256=seen.hexdigest())


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes.

    Raises:
        StoreError: It cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as cause:
        raise StoreError(f"{path}: cannot be read: {cause.strerror}") from cause
