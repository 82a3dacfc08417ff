"""Is a recorded judge the one it was in an earlier file of the same items?"""

from harness.audits.rates import CONFIDENCE_LEVEL, block
from harness.audits.vote_labels import human_label, judge_label, main_reference, votes_of
from harness.audits.vote_shares import missing, share
from harness.domain.recorded_votes import VoteFile, VoteItem
from harness.domain.vote_audit import Estimate, VoteDrift
from harness.stats.mcnemar import mcnemar_exact
from harness.stats.tango_binomial import tango_binomial_interval, tango_binomial_noninferiority

_NO_PEOPLE = "no item that both files judge has a label by people"


def vote_drift(now: VoteFile, then: VoteFile, judge: str, *, margin: float) -> VoteDrift | None:
    """Compare the judge's label on each item with its label in the earlier file.

    People's labels are taken from the file of now.

    Returns:
        Null where the earlier file has no vote of this judge.
    """
    before = {item.id: judge_label(item, judge) for item in then.items if votes_of(item, judge)}
    if not before:
        return None
    mine = [item for item in now.items if votes_of(item, judge)]
    pairs = [
        (item, was, found)
        for item in mine
        if (was := before.get(item.id)) is not None and (found := judge_label(item, judge)) is not None
    ]
    groups = [item.group for item, _, _ in pairs]
    reference = main_reference(now)
    labels = [(human_label(item, reference), was, found) for item, was, found in pairs] if reference else []
    right = [(was == human, found == human) for human, was, found in labels if human is not None]
    lost = sum(was and not found for was, found in right)
    gained = sum(found and not was for was, found in right)
    return VoteDrift(
        n_items=len(pairs),
        n_not_comparable=len({item.id for item in mine} | set(before)) - len(pairs),
        changed=share([was != found for _, was, found in pairs], groups, nothing="no item is in both files"),
        flips=tuple(_flip(item, was, found) for item, was, found in pairs if was != found),
        both_agree=sum(was and found for was, found in right),
        only_then=lost,
        only_now=gained,
        neither=sum(not was and not found for was, found in right),
        accuracy_change=_change(gained, lost, len(right)),
        pvalue=mcnemar_exact(gain=gained, loss=lost).pvalue if right else None,
        noninferiority_pvalue=tango_binomial_noninferiority(
            gain=gained, loss=lost, n_cases=len(right), margin=margin
        ).pvalue
        if right
        else None,
    )


def _flip(item: VoteItem, was: str, found: str) -> tuple[str, str, str]:
    return item.id, was, found


def _change(gained: int, lost: int, n: int) -> Estimate:
    if n == 0:
        return missing("accuracy_change", _NO_PEOPLE)
    interval = tango_binomial_interval(gain=gained, loss=lost, n_cases=n, confidence_level=CONFIDENCE_LEVEL)
    return Estimate(of="accuracy_change", estimate=(gained - lost) / n, interval=block(interval))
