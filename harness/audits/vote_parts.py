"""What the numbers of a recorded judge come to, by limits that were set before.

One rule for all: a part passes when its whole interval lies on the good side of
the limit, fails when it lies wholly on the bad side, and is undecided otherwise.
"""

from collections.abc import Iterator, Sequence

from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.fitness import Fitness
from harness.domain.vote_audit import (
    AgreementBlock,
    Estimate,
    OrderBlock,
    PartStatus,
    RepeatBlock,
    ScoreBlock,
    VoteAuditSettings,
    VoteDrift,
    VotePart,
)

_ALPHA = 0.05
_BADNESS: dict[PartStatus, int] = {"pass": 0, "not_audited": 1, "undecided": 1, "fail": 2}


def verdict_part(readable: Rate, settings: VoteAuditSettings) -> VotePart:
    """Judge whether enough of the votes say anything. That is counted, and not estimated."""
    status: PartStatus = "pass" if (readable.rate or 0.0) >= settings.min_verdicts else "fail"
    text = f"{_percent(readable.rate or 0.0)} of the votes say something"
    return _part("verdicts", status, f"{text}, wanted {_percent(settings.min_verdicts)}")


def people_parts(found: AgreementBlock, settings: VoteAuditSettings) -> Iterator[VotePart]:
    """Judge agreement with people: beside the ceiling, above the floor, above chance, on each arm."""
    floor = settings.min_agreement
    yield _ceiling(found.beside_people, settings.margin, needed=floor is None)
    main = next((c for c in found.comparisons if c.reference == found.reference), None)
    if floor is not None:
        yield _floor(None if main is None else main.readable, floor)
    yield _chance(found.coefficients[0] if found.coefficients else None)
    if found.arm_differences:
        yield _arms(found.arm_differences, settings.band)


def repeat_part(
    repeats: RepeatBlock | None, scores: ScoreBlock | None, settings: VoteAuditSettings, *, needed: bool
) -> VotePart:
    """Judge how often the judge contradicts itself."""
    if repeats is None or repeats.flip_rate.estimate is None:
        reason = "no item was asked about twice in one order"
        if scores is not None:
            reason = "scores alone: give the score from which an answer passes (--pass-at)"
        return _part("repeats", "not_audited", reason, needed=needed)
    status = below(repeats.flip_rate.interval, settings.max_flips)
    text = f"two votes on one item differ {_estimate(repeats.flip_rate)} of the time"
    return _part("repeats", status, f"{text}, allowed {_percent(settings.max_flips)}", needed=needed)


def order_parts(found: OrderBlock | None, settings: VoteAuditSettings) -> Iterator[VotePart]:
    """Judge whether swapping the answers changes the verdict, and towards which place."""
    if found is None:
        return
    status = below(found.inconsistent.interval, settings.max_flips)
    text = f"{rate_text(found.inconsistent)} of the pairs change with the order"
    yield _part("order", status, f"{text}, allowed {_percent(settings.max_flips)}")
    effect = found.slot_effect
    if effect.estimate is None or effect.interval is None:
        yield _part("place", "not_audited", effect.reason or "no interval", needed=False)
        return
    side = "first" if effect.estimate >= 0 else "second"
    status = within(effect.interval, settings.band)
    points = f"{_points(effect)} points towards the {side} answer shown"
    yield _part("place", status, f"{points}, allowed {_band(settings.band)}")


def drift_part(found: VoteDrift | None, settings: VoteAuditSettings, *, asked: bool) -> VotePart | None:
    """Judge whether the judge is the one of the earlier file."""
    if not asked:
        return None
    if found is None or found.n_items == 0:
        return _part("drift", "not_audited", "the earlier file has no label of this judge on these items")
    changed = f"{rate_text(found.changed)} of the labels changed, allowed {_percent(settings.max_flips)}"
    status = below(found.changed.interval, settings.max_flips)
    if found.pvalue is None or found.noninferiority_pvalue is None:
        return _part("drift", status, changed)
    people = f"right then and now: {found.only_then} lost, {found.only_now} gained (p = {found.pvalue:.3f})"
    if found.pvalue < _ALPHA and found.only_then > found.only_now:
        status = "fail"
    elif status == "pass" and found.noninferiority_pvalue >= _ALPHA:
        status = "undecided"
    return _part("drift", status, f"{changed}; {people}")


def fitness(parts: Sequence[VotePart]) -> tuple[Fitness, tuple[str, ...]]:
    """Return the one verdict on the judge, and why.

    Any failure makes it unfit. Fit is only who was audited and left nothing
    undecided.
    """
    failed = [part for part in parts if part.status == "fail"]
    open_ = [
        part for part in parts if part.status == "undecided" or (part.needed and part.status == "not_audited")
    ]
    status: Fitness = "unfit" if failed else "not_audited" if open_ else "fit"
    words = {"undecided": "undecided, ", "not_audited": "not audited, "}
    return status, tuple(f"{p.name}: {words.get(p.status, '')}{p.reason}" for p in failed or open_)


def above(interval: IntervalBlock | None, limit: float) -> PartStatus:
    """Return whether an interval lies at or above the limit, wholly."""
    if interval is None:
        return "undecided"
    return "pass" if interval.low >= limit else "fail" if interval.high < limit else "undecided"


def below(interval: IntervalBlock | None, limit: float) -> PartStatus:
    """Return whether an interval lies at or below the limit, wholly."""
    if interval is None:
        return "undecided"
    return "pass" if interval.high <= limit else "fail" if interval.low > limit else "undecided"


def within(interval: IntervalBlock, band: float) -> PartStatus:
    """Return whether an interval lies within the band around 0, wholly."""
    if -band <= interval.low and interval.high <= band:
        return "pass"
    return "fail" if interval.low > band or interval.high < -band else "undecided"


def _ceiling(found: Estimate, margin: float, *, needed: bool) -> VotePart:
    if found.estimate is None:
        reason = found.reason or "no interval"
        return _part("people", "not_audited", reason, needed=needed)
    status = above(found.interval, -margin)
    text = f"{_points(found)} points beside a second person on the same items"
    return _part("people", status, f"{text}, allowed -{100 * margin:g}", needed=needed)


def _floor(found: Rate | None, floor: float) -> VotePart:
    if found is None or found.rate is None:
        return _part("floor", "not_audited", "no item has both a human and a judge label")
    return _part("floor", above(found.interval, floor), f"{rate_text(found)} agree, wanted {_percent(floor)}")


def _chance(kappa: Estimate | None) -> VotePart:
    if kappa is None or kappa.estimate is None:
        reason = kappa.reason if kappa is not None and kappa.reason else "the file has no label by a person"
        return _part("chance", "not_audited", reason)
    interval = kappa.interval
    text = f"Cohen's kappa {kappa.estimate:.3f}"
    text += f" [{interval.low:.3f}, {interval.high:.3f}]" if interval else ""
    if kappa.estimate <= 0:
        return _part("chance", "fail", f"{text}: no better than chance")
    sure = interval is None or interval.low > 0
    return _part("chance", "pass" if sure else "undecided", text)


def _arms(differences: Sequence[Estimate], band: float) -> VotePart:
    """Take the worst pair of arms, and of several the one that differs most."""
    found = [
        (within(item.interval, band) if item.interval is not None else "undecided", item)
        for item in differences
    ]
    status, worst = max(found, key=lambda pair: (_BADNESS[pair[0]], abs(pair[1].estimate or 0.0)))
    text = f"agreement differs by {_points(worst)} points ({worst.of}), allowed {_band(band)}"
    return _part("arms", status, text)


def _part(name: str, status: PartStatus, reason: str, *, needed: bool = True) -> VotePart:
    return VotePart(name=name, status=status, needed=needed, reason=reason)


def rate_text(found: Rate) -> str:
    """Return a rate in percent, with its interval."""
    if found.rate is None:
        return found.reason or "none"
    interval = found.interval
    return _percent(found.rate) + (f" [{_bare(interval.low)}, {_bare(interval.high)}]" if interval else "")


def _estimate(found: Estimate) -> str:
    interval = found.interval
    text = _percent(found.estimate or 0.0)
    return text + (f" [{_bare(interval.low)}, {_bare(interval.high)}]" if interval else "")


def _points(found: Estimate) -> str:
    interval = found.interval
    text = f"{100 * (found.estimate or 0.0):+.1f}"
    return text + (f" [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]" if interval else "")


def _percent(share: float) -> str:
    return f"{_bare(share)}%"


def _bare(share: float) -> str:
    return f"{100 * share:.1f}"


def _band(band: float) -> str:
    return f"±{100 * band:g}"
