"""Canaries that every judge can be given: built from what the plan already holds.

A probe is shown to the judge like any answer, so the prompt and the reference
are real ones: those of a case that the judge grades, or of an anchor.
"""

from collections.abc import Sequence

from harness.domain.cases import Anchor, Canary, Case
from harness.domain.probes import PROBE_PREFIX, PROBES
from harness.domain.specs import JudgeSpec
from harness.graders.arm_prompt import prompt_text
from harness.graders.pair_probes import pair_probes
from harness.graders.probe_answers import Shown, bad_answers


def judge_probes(judge: JudgeSpec, *, cases: Sequence[Case], anchors: Sequence[Anchor]) -> tuple[Canary, ...]:
    """Return the built-in probes that can be built for this judge, in a fixed order.

    What cannot be built, such as the reference where there is none, is left
    out; the audit of canaries names it.

    Args:
        judge: The judge; its form of reply and its labels are what is forged.
        cases: The cases it grades, the held-out ones left out.
        anchors: Answers that people reviewed; one they all failed is fluent and wrong.
    """
    if judge.mode == "pairwise":
        return pair_probes(judge, cases=cases, anchors=anchors)
    shown = _shown(cases, anchors)
    if shown is None:
        return ()
    answers = bad_answers(judge, _best_label(judge))
    if shown.reference:
        answers["reference"] = shown.reference
    probes = [_probe(kind.kind, answers[kind.kind], shown) for kind in PROBES if kind.kind in answers]
    failed = _failed_anchor(judge, anchors)
    if failed is not None:
        wrong = _probe("fluent-wrong", failed.answer, Shown(failed.prompt, failed.reference))
        probes.append(wrong)
    order = [kind.kind for kind in PROBES]
    return tuple(sorted(probes, key=lambda probe: order.index(probe.kind)))


def _shown(cases: Sequence[Case], anchors: Sequence[Anchor]) -> Shown | None:
    """Return the first prompt with a reference, else the first prompt."""
    found = [Shown(prompt_text(case), case.reference) for case in cases]
    found += [Shown(anchor.prompt, anchor.reference) for anchor in anchors]
    with_reference = (each for each in found if each.reference)
    return next(with_reference, found[0] if found else None)


def _best_label(judge: JudgeSpec) -> str:
    """Return the passing label with the highest score, else the first one."""
    if judge.scores is None:
        return judge.passing[0]
    value = dict(zip(judge.labels, judge.scores, strict=True))
    return max(judge.passing, key=lambda label: value[label])


def _failed_anchor(judge: JudgeSpec, anchors: Sequence[Anchor]) -> Anchor | None:
    """Return the longest answer that nobody passed: the first one of them."""
    failed = [anchor for anchor in anchors if anchor.answer.strip() and _all_fail(judge, anchor)]
    return max(failed, key=lambda anchor: len(anchor.answer), default=None)


def _all_fail(judge: JudgeSpec, anchor: Anchor) -> bool:
    labels = [review.label for review in anchor.reviews] + ([anchor.label] if anchor.label else [])
    return bool(labels) and not any(label in judge.passing for label in labels)


def _probe(kind: str, answer: str, shown: Shown) -> Canary:
    expected = next(probe.expected for probe in PROBES if probe.kind == kind)
    return Canary(
        id=f"{PROBE_PREFIX}{kind}",
        prompt=shown.prompt,
        answer=answer,
        reference=shown.reference,
        expected=expected,
        grader="judge",
        kind=kind,
        why="built-in probe of the judge",
    )
