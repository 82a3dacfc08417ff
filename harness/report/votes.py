"""An audit of recorded votes as plain text: the verdict first, then what it rests on."""

from collections.abc import Iterator
from textwrap import wrap

from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.vote_audit import (
    AgreementBlock,
    Estimate,
    JudgeAudit,
    OrderBlock,
    PanelAgreement,
    PeopleBlock,
    RepeatBlock,
    ScoreBlock,
    VoteAudit,
    VoteComparison,
    VoteDrift,
)
from harness.report.inert import inert, name, width

COLUMNS = 96
_LABEL = 22
_MOST_NAMES = 5
_STATUS = {"fit": "FIT", "unfit": "UNFIT", "not_audited": "NOT AUDITED"}
_PART = {"pass": "ok", "fail": "FAILS", "undecided": "undecided", "not_audited": "not audited"}
_REFERENCE = {
    "final": "settled label",
    "majority": "people's majority",
    "most_frequent": "most frequent of 2+",
    "ratings": "single ratings",
}


def vote_audit_text(audit: VoteAudit) -> str:
    """Return the audit in plain text, at most 96 columns wide.

    Nothing in it can move a cursor or turn a text.
    """
    blocks = [list(_head(audit)), list(_people(audit.people))]
    blocks += [list(_judge(judge)) for judge in audit.judges]
    blocks += [list(_between(audit)), [line for note in audit.notes for line in _row("note", note)]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(audit: VoteAudit) -> Iterator[str]:
    yield from _wrapped(f"{name(audit.source.path, limit=200)}: {_STATUS[audit.status]}")
    clusters = "" if audit.n_clusters == audit.n_items else f" in {audit.n_clusters:,} clusters"
    labels = ", ".join(name(label) for label in audit.labels) or "none"
    yield from _wrapped(f"{audit.n_items:,} items{clusters}; labels: {labels}")


def _people(people: PeopleBlock) -> Iterator[str]:
    if not (people.n_ratings or people.n_final):
        return
    yield "People"
    yield from _row(
        "ratings",
        f"{people.n_ratings:,} by {people.n_raters:,} raters on {people.n_items_rated:,} items, "
        f"{people.n_items_rated_twice:,} rated twice or more; {people.n_final:,} settled labels",
    )
    yield from _row("two people agree", _rate(people.pairs))
    if people.pairs_without_ties is not None:
        yield from _row("  without ties", _rate(people.pairs_without_ties))
    for alpha in people.alpha:
        yield from _row(_words(alpha.of), _number(alpha))


def _judge(judge: JudgeAudit) -> Iterator[str]:
    yield from _wrapped(f"Judge {name(judge.judge)}: {_STATUS[judge.status]}")
    for part in judge.parts:
        yield from _row(f"{part.name} {_PART[part.status]}", part.reason)
    silent = ", ".join(f"{n:,} {reason}" for reason, n in judge.no_verdicts) or "none"
    yield from _row("votes", f"{judge.n_votes:,} on {judge.n_items:,} items; without a verdict: {silent}")
    yield from _agreement(judge.agreement)
    if judge.repeats is not None:
        yield from _repeats(judge.repeats)
    if judge.scores is not None:
        yield from _scores(judge.scores)
    if judge.order is not None:
        yield from _order(judge.order)
    if judge.drift is not None:
        yield from _drift(judge.drift)


def _agreement(found: AgreementBlock) -> Iterator[str]:
    for comparison in found.comparisons:
        if not _said_before(comparison, found.comparisons):
            yield from _comparison(comparison)
    for arm in found.arms:
        yield from _row(f"  {name(arm.arm)}", _rate(arm.readable))
    if found.where_people_differ is not None and found.where_people_agree is not None:
        yield from _row("  where people agree", _rate(found.where_people_agree))
        yield from _row("  where they differ", _rate(found.where_people_differ))
    for coefficient in found.coefficients:
        yield from _row(_words(coefficient.of), _number(coefficient))
    test = found.annotator_test
    if test is not None:
        text = test.reason or ""
        if test.winning_rate is not None:
            text = f"no worse than {100 * test.winning_rate:.0f}% of the people tested; 50% passes"
        yield from _row("in a person's place", f"{text} (epsilon {test.epsilon:g})")
        for human in test.humans if len(test.humans) <= _MOST_NAMES else ():
            yield from _row(
                f"  {name(human.human)}",
                f"agrees with the others {100 * human.human_agreement:.1f}% of the time, "
                f"the judge {100 * human.judge_agreement:.1f}%; n = {human.n_items:,}",
            )


def _said_before(found: VoteComparison, every: tuple[VoteComparison, ...]) -> bool:
    """Whether the rule of the most frequent label decides as the majority does."""
    return found.reference == "most_frequent" and any(
        other.reference == "majority" and other.readable == found.readable for other in every
    )


def _comparison(found: VoteComparison) -> Iterator[str]:
    label = _REFERENCE[found.reference]
    if found.without_ties:
        yield from _row(label, f"{_rate(found.readable)}, without ties")
        return
    text = _rate(found.readable)
    if found.n_no_verdict and found.every is not None:
        text += f"; of all {found.every.of:,}, {found.n_no_verdict:,} without a verdict"
    unsettled = f"; {found.n_unsettled:,} items left out, unsettled" if found.n_unsettled else ""
    yield from _row(label, text + unsettled)


def _repeats(found: RepeatBlock) -> Iterator[str]:
    least, most = found.n_votes_an_item
    votes = f"{least}" if least == most else f"{least} to {most}, the first 2 used"
    yield from _row("items with a flip", f"{_rate(found.with_a_flip)}; votes an item: {votes}")
    if found.n_now_and_then_silent:
        yield from _row("  now and then silent", f"{found.n_now_and_then_silent:,} items")
    yield from _row("Fleiss kappa", _number(found.fleiss_kappa, places=4))
    yield from _names("  flipped", found.flipped)


def _scores(found: ScoreBlock) -> Iterator[str]:
    yield from _row("changed scores", _rate(found.changed))
    yield from _row("  by, on average", f"{_number(found.change, places=2)} points")
    if found.pass_flips is not None:
        yield from _row("  pass becomes fail", f"{_rate(found.pass_flips)}, or the other way")


def _order(found: OrderBlock) -> Iterator[str]:
    yield from _row("inconsistent pairs", _rate(found.inconsistent))
    if found.n_incomplete:
        yield from _row("  left out", f"{found.n_incomplete:,} without a label in both orders")
    if found.reversed is not None and found.to_first is not None:
        yield from _row("  reversed", _rate(found.reversed))
        yield from _row("  of these", _slots(found.to_first, found.pvalue))
    yield from _names("  flipped", found.flipped)


def _slots(to_first: Rate, pvalue: float | None) -> str:
    if to_first.rate is None or pvalue is None:
        return to_first.reason or "none"
    n_second = to_first.of - to_first.n
    return f"{_rate(to_first)} to the first answer shown, {n_second:,} to the second (exact p = {pvalue:.3f})"


def _drift(found: VoteDrift) -> Iterator[str]:
    yield from _row("changed since then", _rate(found.changed))
    yield from _names("  changed", tuple(f"{item} ({was}, now {now})" for item, was, now in found.flips))
    if found.pvalue is not None:
        yield from _row(
            "right, then and now",
            f"both {found.both_agree:,}, only then {found.only_then:,}, only now {found.only_now:,}, "
            f"neither {found.neither:,}; change {_number(found.accuracy_change)}",
        )


def _between(audit: VoteAudit) -> Iterator[str]:
    found = audit.between_judges
    if found is None:
        return
    yield f"Between {found.n_judges} judges"
    yield from _row("two judges agree", _rate(found.pairs))
    for alpha in found.alpha:
        yield from _row(_words(alpha.of), _number(alpha))
    yield from _row("all agree", _rate(found.unanimous))
    for panel in found.panel:
        if panel.without is None:
            yield from _row("majority of judges", _panel(panel))
        else:
            yield from _row("  without", f"{name(panel.without)}: {_panel(panel)}")


def _panel(found: PanelAgreement) -> str:
    """Return a panel's agreement with people; without people, on how many items it says nothing."""
    if found.readable is None or found.every is None:
        return f"none on {found.n_no_majority:,} items"
    text = _rate(found.readable)
    text += (
        f" as people; of all {found.every.of:,}, {found.every.of - found.readable.of:,} without a majority"
    )
    change = found.change
    if change is None or change.estimate is None:
        return text
    return f"{text}; right on {_points(change)} points more of all items"


def _points(found: Estimate) -> str:
    return f"{100 * (found.estimate or 0.0):+.1f}{_interval(found.interval, scale=100, places=1)}"


def _names(label: str, names: tuple[str, ...]) -> Iterator[str]:
    if names:
        more = ", …" if len(names) > _MOST_NAMES else ""
        yield from _row(label, ", ".join(name(each) for each in names[:_MOST_NAMES]) + more)


def _rate(found: Rate) -> str:
    if found.rate is None:
        return found.reason or "no rate"
    interval = _interval(found.interval, scale=100, places=1)
    return f"{found.n:,} of {found.of:,}: {100 * found.rate:.1f}%{interval}"


def _number(found: Estimate, *, places: int = 3) -> str:
    if found.estimate is None:
        return found.reason or "no number"
    text = f"{found.estimate:.{places}f}{_interval(found.interval, scale=1, places=places)}"
    return text if found.interval is not None else f"{text} (no interval: {found.reason})"


def _interval(found: IntervalBlock | None, *, scale: int, places: int) -> str:
    if found is None:
        return ""
    return f" [{scale * found.low:.{places}f}, {scale * found.high:.{places}f}]"


def _words(method: str) -> str:
    first, *rest = method.split("_")
    named = [word.upper() if word[:2] == "ac" else word for word in rest if word != "nominal"]
    return " ".join([first.capitalize(), *named])


def _row(label: str, text: str) -> Iterator[str]:
    """Yield a label and its text, further lines set in under it."""
    lines = wrap(inert(text), COLUMNS - _LABEL - 4, break_on_hyphens=False) or [""]
    padded = f"  {label}{' ' * max(1, _LABEL - width(label))} "
    yield f"{padded} {lines[0]}".rstrip() if width(label) <= _LABEL else f"{padded.rstrip()}  {lines[0]}"
    yield from (" " * (_LABEL + 4) + line for line in lines[1:])


def _wrapped(text: str) -> list[str]:
    return wrap(inert(text), COLUMNS, break_on_hyphens=False)
