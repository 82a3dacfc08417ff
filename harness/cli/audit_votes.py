"""`harness audit-votes`: judges' votes that somebody recorded, audited without a call."""

from pathlib import Path

from pydantic import ValidationError

from harness.audits.recorded_votes import audit_votes as audit
from harness.cli.output import put
from harness.domain.errors import InputError
from harness.domain.fitness import Fitness
from harness.domain.recorded_votes import VoteFile
from harness.domain.vote_audit import VoteAuditSettings
from harness.importers.votes import read_votes
from harness.report.votes import vote_audit_text

_EXIT_CODES: dict[Fitness, int] = {"fit": 0, "unfit": 1, "not_audited": 3}


def audit_votes(
    *,
    file: Path,
    against: Path | None,
    labels: str | None,
    ordered: bool,
    tie: str | None,
    pass_at: float | None,
    margin: float,
    min_agreement: float | None,
    max_flips: float,
    band: float,
    min_verdicts: float,
    as_json: bool,
) -> int:
    """Audit, print, and return 0 for fit, 1 for unfit, 3 for not audited."""
    settings = _settings(
        labels=_declared(labels),
        ordered=ordered,
        tie=tie,
        pass_at=pass_at,
        margin=margin,
        min_agreement=min_agreement,
        max_flips=max_flips,
        band=band,
        min_verdicts=min_verdicts,
    )
    now = _read(file, settings)
    if tie is not None and tie not in now.labels:
        raise InputError(
            f"--tie: found {tie!r}, wanted a label of the file: {', '.join(now.labels) or 'none'}"
        )
    found = audit(now, settings, against=None if against is None else _read(against, settings))
    put(found.model_dump_json(indent=2) if as_json else vote_audit_text(found))
    return _EXIT_CODES[found.status]


def _settings(**values: object) -> VoteAuditSettings:
    try:
        return VoteAuditSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        option = "-".join(str(part) for part in first["loc"]).replace("_", "-")
        raise InputError(f"--{option}: {first['msg']}") from error


def _declared(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    labels = tuple(label.strip() for label in text.split(","))
    if len(set(labels)) < max(len(labels), 2) or "" in labels:
        raise InputError(
            f"--labels: found {text!r}, wanted two labels or more, each once, with commas between"
        )
    return labels


def _read(path: Path, settings: VoteAuditSettings) -> VoteFile:
    return read_votes(path, labels=settings.labels, pass_at=settings.pass_at)
