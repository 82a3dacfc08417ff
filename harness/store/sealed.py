"""The bytes of a sealed run, measured: what `harness verify` holds against the manifest."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from harness.domain.errors import StoreError
from harness.store.merkle import MerkleRoot


class Measured(NamedTuple):
    """A file of records: how many lines, the digest of its bytes, the root over its lines."""

    n_lines: int
    sha256: str
    merkle_root: str


def measure(path: Path) -> Measured:
    """Return what a file of lines comes to; nothing in it is parsed or held.

    Raises:
        StoreError: It cannot be read.
    """
    seen, tree, n_lines = hashlib.sha256(), MerkleRoot(), 0
    try:
        with path.open("rb") as stream:
            for line in stream:
                seen.update(line)
                tree.add(line.removesuffix(b"\n"))
                n_lines += 1
    except OSError as cause:
        raise StoreError(f"{path}: cannot be read: {cause.strerror}") from cause
    return Measured(n_lines=n_lines, sha256=seen.hexdigest(), merkle_root=tree.root().hex())


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
