"""The run directory: whose it is, which plan it holds, and that one process works in it."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, sha256_hex
from harness.domain.errors import InputError, StoreError, Tampered
from harness.domain.plan import Plan, plan_digest
from harness.store.disk import DiskStore
from harness.store.replace import replace_bytes

PLAN = "plan.json"
EVIDENCE = "evidence.jsonl"
TIMINGS = "timings.jsonl"
MANIFEST = "manifest.json"
REDACTED = "redacted.jsonl"
_STORE = "store"
_LOCK = "lock"

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80


class OpenRun(NamedTuple):
    """A run directory that this process works in."""

    path: Path
    store: DiskStore


@contextmanager
def open_run(path: Path, plan: Plan) -> Iterator[OpenRun]:
    """Open the run directory of a plan, or make it, and keep every other process out.

    Raises:
        InputError: The directory holds a run of another plan, or cannot be written.
        StoreError: Another process works in it.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as cause:
        raise InputError(f"{path}: cannot be written: {cause.strerror}") from cause
    try:
        _take(lock, path)
        _claim(path, plan)
        store = DiskStore(path / _STORE)
        try:
            yield OpenRun(path, store)
        finally:
            store.close()
    finally:
        # The kernel lets the lock go with the descriptor, after a kill as well.
        os.close(lock)


def write_plan(path: Path, plan: Plan) -> None:
    """Write the plan's canonical bytes into a run directory."""
    replace_bytes(path / PLAN, canonical_bytes(plan))


def read_plan(path: Path) -> Plan:
    """Read the plan of a run directory.

    Raises:
        InputError: There is none.
        Tampered: It is not what the harness wrote.
    """
    content = _plan_bytes(path)
    if content is None and (path / REDACTED).exists():
        raise InputError(f"{path}: a copy that withholds texts; wanted the run itself")
    if content is None:
        raise InputError(f"{path}: no {PLAN}: this is not a run directory")
    try:
        plan = Plan.from_json(content)
    except ValidationError as cause:
        first = cause.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f"{place}: " if place else ""
        raise Tampered(f"{path / PLAN}: not a plan: {where}{first['msg']}") from cause
    if plan_digest(plan) != sha256_hex(content):
        raise Tampered(f"{path / PLAN}: not in the bytes that the harness wrote")
    return plan


def safe_name(name: str) -> str:
    """Return a name that is one path component on any system.

    The true name belongs inside the file: two names may come out alike.
    """
    kept = _UNSAFE.sub("-", name).strip(".-")[:_LONGEST_NAME].rstrip(".-")
    return kept or "run"


def _take(lock: int, path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as cause:
        holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise StoreError(
            f"{path}: process {holder} is working in this run directory; "
            "wait for its end, or name another directory"
        ) from cause
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode("ascii"), 0)


def _claim(path: Path, plan: Plan) -> None:
    held, wanted = _plan_bytes(path), canonical_bytes(plan)
    if held is None:
        write_plan(path, plan)
    elif held != wanted:
        read_plan(path)  # a damaged plan is not another plan
        raise InputError(
            f"{path}: holds a run of another plan (sha256 {sha256_hex(held)[:12]}, "
            f"this one has {sha256_hex(wanted)[:12]}); name another directory"
        )


def _plan_bytes(path: Path) -> bytes | None:
    try:
        return (path / PLAN).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as cause:
        raise StoreError(f"{path / PLAN}: cannot be read: {cause.strerror}") from cause
