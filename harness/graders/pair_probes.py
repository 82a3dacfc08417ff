"""Canaries that every pairwise judge can be given: a bad answer beside a good one.

The bad answers are those that a judge of single answers is probed with. Each is
planted beside the reference and must lose in both orders. Without a reference
there is no answer known to be good, so nothing is planted but what people said.
"""

from collections.abc import Sequence

from harness.domain.cases import Anchor, Canary, Case
from harness.domain.probes import PAIR_PROBES, PROBE_PREFIX
from harness.domain.specs import JudgeSpec
from harness.graders.arm_prompt import prompt_text
from harness.graders.probe_answers import Shown, bad_answers


def pair_probes(judge: JudgeSpec, *, cases: Sequence[Case], anchors: Sequence[Anchor]) -> tuple[Canary, ...]:
    """Return the built-in probes that can be built for this judge, in a fixed order.

    Args:
        judge: The judge; its form of reply and its labels are what is forged.
        cases: The cases it grades, the held-out ones left out.
        anchors: Two answers each, on which people agree which one wins.
    """
    probes: dict[str, Canary] = {}
    shown = _shown(cases, anchors)
    if shown is not None and shown.reference:
        for kind, answer in bad_answers(judge, judge.second[0]).items():
            probes[kind] = _probe(kind, shown, loser=answer, winner=shown.reference)
    lost = _lost_anchor(anchors)
    if lost is not None and lost.other is not None:
        anchor = Shown(lost.prompt, lost.reference)
        probes["fluent-wrong"] = _probe("fluent-wrong", anchor, loser=lost.answer, winner=lost.other)
    return tuple(probes[kind.kind] for kind in PAIR_PROBES if kind.kind in probes)


def _shown(cases: Sequence[Case], anchors: Sequence[Anchor]) -> Shown | None:
    found = [Shown(prompt_text(case), case.reference) for case in cases]
    found += [Shown(anchor.prompt, anchor.reference) for anchor in anchors]
    return next((each for each in found if each.reference), None)


def _lost_anchor(anchors: Sequence[Anchor]) -> Anchor | None:
    """Return the anchor with the longest answer that everybody says loses, told from that answer."""
    lost = [turned for anchor in anchors for turned in _turned(anchor) if _all_say(turned, "loss")]
    return max(lost, key=lambda anchor: len(anchor.answer), default=None)


def _turned(anchor: Anchor) -> tuple[Anchor, ...]:
    """Return the anchor told from either of its answers."""
    if anchor.other is None:
        return ()
    if _all_say(anchor, "win"):
        flipped = {"answer": anchor.other, "other": anchor.answer, "label": "loss", "reviews": ()}
        return (anchor.model_copy(update=flipped),)
    return (anchor,)


def _all_say(anchor: Anchor, word: str) -> bool:
    labels = [review.label for review in anchor.reviews] + ([anchor.label] if anchor.label else [])
    return bool(labels) and all(label == word for label in labels)


def _probe(kind: str, shown: Shown, *, loser: str, winner: str) -> Canary:
    return Canary(
        id=f"{PROBE_PREFIX}{kind}",
        prompt=shown.prompt,
        answer=loser,
        other=winner,
        reference=shown.reference,
        expected="loss",
        grader="judge",
        kind=kind,
        why="built-in probe of the judge",
    )
