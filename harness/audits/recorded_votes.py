"""An audit of votes that somebody recorded: nothing is asked, everything is counted."""

from collections import Counter

from harness.audits.vote_agreement import agreement_block
from harness.audits.vote_drift import vote_drift
from harness.audits.vote_labels import votes_of
from harness.audits.vote_order import order_block
from harness.audits.vote_parts import (
    drift_part,
    fitness,
    order_parts,
    people_parts,
    repeat_part,
    verdict_part,
)
from harness.audits.vote_people import between_judges, people_block
from harness.audits.vote_repeats import repeat_block, score_block
from harness.audits.vote_shares import share
from harness.domain.fitness import Fitness
from harness.domain.recorded_votes import INCONSISTENT, RecordedVote, VoteFile
from harness.domain.vote_audit import (
    BetweenJudges,
    JudgeAudit,
    VoteAudit,
    VoteAuditSettings,
    VotePart,
    VoteSource,
)


def audit_votes(file: VoteFile, settings: VoteAuditSettings, *, against: VoteFile | None = None) -> VoteAudit:
    """Audit every judge of a file of recorded votes.

    Args:
        file: The votes.
        settings: Labels and limits, chosen before the votes were read.
        against: An earlier file of the same items, for the drift since then.

    Returns:
        The audit. A file without a vote is not audited.
    """
    judges = tuple(sorted({vote.judge for item in file.items for vote in item.votes}))
    audits = tuple(_judge_audit(file, judge, settings, against) for judge in judges)
    return VoteAudit(
        source=_source(file),
        against=None if against is None else _source(against),
        settings=settings,
        status=_worst([audit.status for audit in audits]),
        n_items=len(file.items),
        n_clusters=len({item.group for item in file.items}),
        labels=file.labels,
        people=people_block(file, tie=settings.tie, ordered=settings.ordered),
        judges=audits,
        between_judges=_between(file, judges, settings),
        notes=tuple(_notes(file, judges)),
    )


def _judge_audit(
    file: VoteFile, judge: str, settings: VoteAuditSettings, against: VoteFile | None
) -> JudgeAudit:
    mine = [(vote, item.group) for item in file.items for vote in votes_of(item, judge)]
    agreement = agreement_block(file, judge, settings)
    repeats, order = repeat_block(file, judge), order_block(file, judge)
    scores = score_block(file, judge, pass_at=settings.pass_at)
    drift = None if against is None else vote_drift(file, against, judge, margin=settings.margin)
    readable = share([_says_something(vote) for vote, _ in mine], [group for _, group in mine], nothing="")
    parts: list[VotePart | None] = [
        verdict_part(readable, settings),
        *people_parts(agreement, settings),
        repeat_part(repeats, scores, settings, needed=order is None),
        *order_parts(order, settings),
        drift_part(drift, settings, asked=against is not None),
    ]
    there = tuple(part for part in parts if part is not None)
    status, reasons = fitness(there)
    return JudgeAudit(
        judge=judge,
        status=status,
        reasons=reasons,
        parts=there,
        n_items=sum(bool(votes_of(item, judge)) for item in file.items),
        n_votes=len(mine),
        n_labels=sum(vote.label is not None for vote, _ in mine),
        no_verdicts=tuple(sorted(Counter(vote.reason for vote, _ in mine if vote.reason).items())),
        agreement=agreement,
        repeats=repeats,
        scores=scores,
        order=order,
        drift=drift,
    )


def _says_something(vote: RecordedVote) -> bool:
    """Orders that contradict each other were both read: that is counted as inconsistent instead."""
    return vote.label is not None or vote.score is not None or vote.reason == INCONSISTENT


def _worst(found: list[Fitness]) -> Fitness:
    if "unfit" in found:
        return "unfit"
    return "not_audited" if "not_audited" in found or not found else "fit"


def _between(file: VoteFile, judges: tuple[str, ...], settings: VoteAuditSettings) -> BetweenJudges | None:
    if len(file.labels) < 2:
        return None
    return between_judges(file, judges, ordered=settings.ordered)


def _source(file: VoteFile) -> VoteSource:
    return VoteSource(path=file.path, sha256=file.sha256, n_rows=file.n_rows)


def _notes(file: VoteFile, judges: tuple[str, ...]) -> list[str]:
    n_clusters = len({item.group for item in file.items})
    notes = []
    if not judges:
        notes.append("the file holds no vote of a judge: nothing is audited")
    if n_clusters < len(file.items):
        notes.append(
            f"{len(file.items):,} items share {n_clusters:,} clusters: intervals of shares, means and alpha "
            "allow for it, those of kappa, AC1 and AC2 do not"
        )
    return notes
