"""The bytes of a sealed run, measured: what `harness verify` holds against the manifest."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from harness.domain.errors import StoreError
from harness.store.merkle import MerkleRoot

_CHUNK = 2**20


class Measured(NamedTuple):
    """A file of records: how many lines, the digest of its bytes."""

    n_lines: int
    sha256: str


def measure(path: Path) -> Measured:
    """Return what a file of lines comes to; nothing in it is parsed or held.

    Raises:
        StoreError: It cannot be read.
    """
    seen, n_lines, last = hashlib.sha256(), 0, b"\n"
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                seen.update(chunk)
                n_lines += chunk.count(b"\n")
                last = chunk[-1:]
    except OSError as cause:
        raise StoreError(f"{path}: cannot be read: {cause.strerror}") from cause
    # What stands after the last line end is a line too.
    return Measured(n_lines=n_lines + (last != b"\n"), sha256=seen.hexdigest())


def merkle_root(path: Path) -> str:
    """Return the root over the lines of a file.

    Raises:
        StoreError: It cannot be read.
    """
    tree = MerkleRoot()
    try:
        with path.open("rb") as stream:
            for line in stream:
                tree.add(line.removesuffix(b"\n"))
    except OSError as cause:
        raise StoreError(f"{path}: cannot be read: {cause.strerror}") from cause
    return tree.root().hex()


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
