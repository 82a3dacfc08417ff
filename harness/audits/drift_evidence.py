"""Who answered then and now, with which settings; and what that says about what moved."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from harness.domain.body import public_address
from harness.domain.canonical import canonical_bytes, digest, text_digest
from harness.domain.cases import ARMS
from harness.domain.fitness import Attribution, Compared, DriftVerdict, ScoreMove
from harness.domain.manifest import Reading
from harness.domain.plan import Plan, is_judge

_UNKNOWN = "unknown"
_DIGEST_CHARS = 16


class _Run(Protocol):
    @property
    def plan(self) -> Plan: ...

    @property
    def reading(self) -> Reading: ...


class Moves(NamedTuple):
    """What moved, and what that rests on."""

    attribution: Attribution
    evidence: tuple[str, ...]


def compared_endpoints(then: _Run, now: _Run) -> tuple[Compared, ...]:
    """Return the ids, fingerprints, prompts and settings of every endpoint, side by side.

    An id that did not come back is unknown, and unknown is never equal.
    """
    judges = [judge.endpoint for judge in now.plan.judges if judge.endpoint in then.plan.endpoint_names]
    names = (*judges, *ARMS)
    return tuple(row for name in names for row in _rows(name, then, now))


def attribution(
    verdict: DriftVerdict, compared: Sequence[Compared], scores: Sequence[ScoreMove], *, judged: bool
) -> Moves:
    """Say what a change of scores is due to: the judge, the arms' backends, both, neither, or nobody knows.

    The judge moved if its verdicts on the same anchors did, or anything about
    it; it did not if they are shown to be stable. A backend did not move only
    if everything about it is known to be the same.
    """
    judge = [row for row in compared if is_judge(row.endpoint)]
    arms = [row for row in compared if not is_judge(row.endpoint)]
    evidence = (*map(_score, scores), *_evidence(verdict, compared, judged=judged))
    changed = [row for row in judge if row.same is False]
    judge_moved = (
        True if verdict == "drift" or changed else False if verdict == "stable" or not judged else None
    )
    backend_moved = _moved(arms)
    if judge_moved is None or backend_moved is None:
        return Moves("cannot_tell", evidence)
    found: dict[tuple[bool, bool], Attribution] = {
        (True, True): "both_changed",
        (True, False): "judge_changed",
        (False, True): "backend_changed",
        (False, False): "neither_changed",
    }
    return Moves(found[judge_moved, backend_moved], evidence)


def _moved(rows: Sequence[Compared]) -> bool | None:
    if any(row.same is False for row in rows):
        return True
    return False if rows and all(row.same for row in rows) else None


def _score(move: ScoreMove) -> str:
    if move.then is None or move.now is None:
        return f"{move.arm}: scores not compared: {move.reason}"
    same = f"; of {move.n_same_text} answers of the same text {move.n_other_outcome} were graded otherwise"
    test = "" if move.pvalue is None else f" (p = {move.pvalue:.2g})"
    moved = f"{move.arm}: pass rate {move.then:.3f} then, {move.now:.3f} now, {move.n_cases} cases{test}"
    return moved + (same if move.n_same_text else "")


def _evidence(verdict: DriftVerdict, compared: Sequence[Compared], *, judged: bool) -> Iterator[str]:
    if verdict == "not_audited":
        yield "judge: no anchor was judged in both runs" if judged else "judge: there is none"
    else:
        yield f"judge: verdicts on the same anchors: {verdict.replace('_', ' ')}"
    for row in compared:
        if row.same is False:
            yield f"{row.endpoint}: {row.what} changed from {row.then} to {row.now}"
        elif row.same is None:
            yield f"{row.endpoint}: {row.what} unknown: {row.then} then, {row.now} now"


def _rows(name: str, then: _Run, now: _Run) -> Iterator[Compared]:
    for what, was, found in (
        ("returned model", _ids(then, name), _ids(now, name)),
        ("returned fingerprint", _fingerprints(then, name), _fingerprints(now, name)),
    ):
        yield Compared(
            endpoint=name,
            what=what,
            then=was or _UNKNOWN,
            now=found or _UNKNOWN,
            same=was == found if was and found else None,
        )
    before, after = _settings(then.plan, name), _settings(now.plan, name)
    for what in before:
        yield Compared(
            endpoint=name,
            what=what,
            then=before[what],
            now=after[what],
            same=before[what] == after[what],
        )


def _ids(run: _Run, name: str) -> str:
    found = {call.model for call in run.reading.identities if call.endpoint == name and call.model}
    return ", ".join(sorted(found))


def _fingerprints(run: _Run, name: str) -> str:
    found = {
        call.fingerprint for call in run.reading.identities if call.endpoint == name and call.fingerprint
    }
    return ", ".join(sorted(found))


def _settings(plan: Plan, name: str) -> dict[str, str]:
    """Return what was asked for, short enough to be read: texts by their digest."""
    endpoint = plan.endpoint(name)
    found = {
        "model asked for": endpoint.model,
        "address": public_address(endpoint.base_url) or "none",
        "sampling": canonical_bytes(endpoint.sampling).decode("utf-8"),
    }
    for judge in plan.judges:
        if judge.endpoint == name:
            spec = digest(judge.spec)[:_DIGEST_CHARS]
            return found | {"prompt": _short(judge.prompt), "judge.toml": spec}
    template = plan.templates.baseline if name == "baseline" else plan.templates.candidate
    return found | {"template": _short(template.prompt), "system": _short(template.system)}


def _short(text: str | None) -> str:
    return "none" if text is None else text_digest(text)[:_DIGEST_CHARS]
