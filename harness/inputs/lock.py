"""The lock of an experiment: what was frozen, and what changed since."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, digest, sha256_hex, strict_json
from harness.domain.cases import Anchor, Canary, Case
from harness.domain.errors import InputError, Tampered
from harness.domain.files import read_text
from harness.domain.plan import Lock, LockedItem, Plan, plan_digest
from harness.domain.record import thaw
from harness.inputs.complaints import complaints, one_line

_LONGEST_KEPT = 120
_SURELY_SHORT = 19  # six bytes for every character at worst, and two quotes
_N_TOLD = 5
_NOTHING = object()


class Change(NamedTuple):
    """One thing that is not as it was frozen. A value is as a message shows it."""

    where: str
    was: str
    now: str

    def __str__(self) -> str:
        """Return the change in words."""
        return f"{self.where}: was {self.was}, is {self.now}"


def lock_path(experiment: Path) -> Path:
    """Return where the lock of an experiment file stands: ``experiment.lock.json`` beside it."""
    return experiment.with_suffix(".lock.json")


def make_lock(
    plan: Plan, *, experiment: str, rules: Mapping[str, str], harness_version: str, frozen_at: str
) -> Lock:
    """Return the lock of a plan.

    Args:
        plan: The plan as it is now.
        experiment: The name of the experiment's file.
        rules: What the code decides beside the settings, such as the tests and
            the rule for ties, each in words.
        harness_version: The version of the code.
        frozen_at: The time, UTC, ISO 8601.
    """
    fields = {
        "version": "1",
        "experiment": experiment,
        "plan_sha256": plan_digest(plan),
        "inputs": [entry.model_dump(mode="json") for entry in plan.inputs],
        "settings": _settings(plan),
        "items": [{"path": path, "id": name, "values": values} for path, name, values in _items(plan)],
        "rules": dict(rules),
        "harness_version": harness_version,
        "frozen_at": frozen_at,
    }
    return Lock.from_json(json.dumps({**fields, "seal": digest(fields)}))


def write_lock(path: Path, lock: Lock, *, replace: bool) -> None:
    """Write a lock, whole or not at all.

    Raises:
        InputError: There is one already and it is not to be replaced.
    """
    if path.exists() and not replace:
        raise InputError(f"{path}: is there already; replacing it forgets when the plan was first frozen")
    text = json.dumps(lock.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with partial.open("wb") as stream:
        stream.write(f"{text}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)


def read_lock(path: Path) -> Lock:
    """Read a lock.

    Raises:
        InputError: There is none.
        Tampered: It is not a lock as ``harness freeze`` writes it.
    """
    text = read_text(path)
    try:
        strict_json(text)
        lock = Lock.from_json(text)
    except ValidationError as error:
        raise Tampered(f"{path}: no lock as it was written: {one_line(complaints(error, Lock))}") from error
    except ValueError as error:
        raise Tampered(f"{path}: no lock as it was written: {error}") from error
    fields = lock.model_dump(mode="json", exclude={"seal"})
    if digest(fields) != lock.seal:
        raise Tampered(
            f"{path}: edited after it was written: its seal is {lock.seal}, its content has another"
        )
    return lock


def check_lock(plan: Plan, lock: Lock, *, rules: Mapping[str, str], harness_version: str) -> None:
    """Refuse a plan that is not the one that was frozen.

    Raises:
        Tampered: Something changed; the message names the file, the item and
            the key, with what was and what is.
    """
    changes = lock_changes(plan, lock, rules=rules, harness_version=harness_version)
    if changes:
        rest = len(changes) - _N_TOLD
        more = f"; and {rest} more" if rest > 0 else ""
        told = "; ".join(str(change) for change in changes[:_N_TOLD])
        raise Tampered(f"changed since it was frozen at {lock.frozen_at}: {told}{more}")


def lock_changes(
    plan: Plan, lock: Lock, *, rules: Mapping[str, str], harness_version: str
) -> tuple[Change, ...]:
    """Return everything that is not as it was frozen: values first, then files, then the plan as a whole."""
    now = make_lock(
        plan,
        experiment=lock.experiment,
        rules=rules,
        harness_version=harness_version,
        frozen_at=lock.frozen_at,
    )
    changes = [
        *_value_changes(lock.settings, now.settings, where=""),
        *_item_changes(lock.items, now.items),
        *_value_changes(lock.rules, now.rules, where="rules."),
        *_value_changes(_inputs(lock), _inputs(now), where="file "),
    ]
    if lock.harness_version != now.harness_version:
        changes.append(Change("harness_version", lock.harness_version, now.harness_version))
    if not changes and lock.plan_sha256 != now.plan_sha256:
        changes.append(Change("plan_sha256 (the order of records)", lock.plan_sha256, now.plan_sha256))
    return tuple(changes)


def _value_changes(was: Mapping[str, object], now: Mapping[str, object], *, where: str) -> Iterator[Change]:
    for key in sorted({*was, *now}):
        before, after = was.get(key, _NOTHING), now.get(key, _NOTHING)
        if isinstance(before, str) and before == after:
            continue
        if _shown(before) != _shown(after):
            yield Change(f"{where}{key}", _shown(before), _shown(after))


def _item_changes(was: Sequence[LockedItem], now: Sequence[LockedItem]) -> Iterator[Change]:
    before = {(item.path, item.id): item.values for item in was}
    after = {(item.path, item.id): item.values for item in now}
    for path, name in dict.fromkeys((*before, *after)):
        old, new = before.get((path, name)), after.get((path, name))
        where = f"{path}, {name!r}"
        if old is None or new is None:
            yield Change(where, "absent" if old is None else "there", "absent" if new is None else "there")
        else:
            yield from _value_changes(old, new, where=f"{where}, ")


def _inputs(lock: Lock) -> dict[str, object]:
    return {entry.path: entry.sha256 for entry in lock.inputs}


def _shown(value: object) -> str:
    return "absent" if value is _NOTHING else canonical_bytes(value).decode("utf-8")


def _settings(plan: Plan) -> dict[str, object]:
    """Return every setting of the plan, defaults included, by dotted path."""
    lists = {"cases", "canaries", "anchors", "inputs", "held_out", "version"}
    settings = plan.model_dump(mode="json", exclude=lists)
    return {key: _kept(value) for key, value in _leaves(settings, "")}


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else key)
    else:
        yield path, value


def _items(plan: Plan) -> Iterator[tuple[str, str, dict[str, object]]]:
    gold = PurePosixPath(plan.experiment.gold)
    sides = plan.split_of()
    for case in plan.cases:
        yield (gold / "cases.jsonl").as_posix(), case.id, {**_values(case), "side": sides[case.id]}
    for canary in plan.canaries:
        yield (gold / "canaries.jsonl").as_posix(), canary.id, _values(canary)
    for anchor in plan.anchors:
        yield PurePosixPath(plan.experiment.anchors or "").as_posix(), anchor.id, _values(anchor)


def _values(record: Case | Canary | Anchor) -> dict[str, object]:
    found = record.model_dump(mode="json", exclude_defaults=True, exclude={"id"})
    return {key: _kept(value) for key, value in found.items()}


def _kept(value: object) -> object:
    """Return a value that a message can show, and the digest of one that is too long for it."""
    if isinstance(value, str) and len(value) <= _SURELY_SHORT:
        return value
    content = canonical_bytes(thaw(value))
    return value if len(content) <= _LONGEST_KEPT else {"sha256": sha256_hex(content)}
