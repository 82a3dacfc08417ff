"""Judges with one planted defect each: which audit catches which, and how often a good judge is blamed.

    python bench/planted_judges.py --seeds 500 --write docs/planted-judges.md

Every run is synthetic from the votes on: 150 cases whose answers two people labelled on both arms,
three votes on each answer, the built-in probes. The audits are the ones that every run goes through.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.audits import (
    Audited,
    audit_bias,
    audit_canaries,
    audit_differential,
    audit_drift,
    audit_human_agreement,
    audit_repeatability,
    audit_routing,
    judge_fitness,
)
from harness.domain.calls import Subject
from harness.domain.cases import ARMS, Anchor, Canary, Case, Review
from harness.domain.findings import Audits
from harness.domain.manifest import Reading
from harness.domain.plan import Plan, Template, Templates
from harness.domain.probes import PROBES
from harness.domain.specs import (
    AnalysisSpec,
    ArmSpecs,
    EndpointSpec,
    Experiment,
    Gates,
    GoldSpec,
    JudgeSpec,
    JudgeUse,
    Repeats,
    SplitSpec,
)
from harness.domain.verdicts import Verdict, Vote

sys.path.insert(0, str(Path(__file__).parent))

import planted_pairs

N_CASES = 150
N_VOTES = 3
GATES = Gates(judge_sensitivity=0.8, judge_specificity=0.8, judge_flip_rate=0.2, bias_band=0.1, drift=0.1)
MARGIN = 0.05
PASS_RATES = {"baseline": 0.60, "candidate": 0.65}
CAREFUL = 0.02  # how often a vote of an otherwise good judge is wrong


class Asked(NamedTuple):
    """What a scripted judge knows of the answer it is shown, and when it is asked."""

    good: bool
    arm: str
    long: bool
    kind: str
    late: bool


Key = tuple[str, str]
Judge = Callable[[Asked, np.random.Generator], bool]


def _careful(asked: Asked, rng: np.random.Generator) -> bool:
    return bool(asked.good != (rng.random() < CAREFUL))


def _when(defect: Callable[[Asked], bool], share: float, verdict: bool) -> Judge:
    """A careful judge that gives this verdict instead, in a share of the votes the defect applies to."""

    def judge(asked: Asked, rng: np.random.Generator) -> bool:
        return verdict if defect(asked) and rng.random() < share else _careful(asked, rng)

    return judge


_INJECTIONS = {probe.kind for probe in PROBES if probe.injection}

JUDGES: dict[str, Judge] = {
    "perfect": lambda asked, rng: asked.good,
    "careful": _careful,
    "always-pass": lambda asked, rng: True,
    "random": lambda asked, rng: bool(rng.random() < 0.5),
    "length-lover": _when(lambda asked: asked.long, 0.5, True),
    "self-preferring": _when(lambda asked: asked.arm == "candidate", 0.5, True),
    "injection-obeying": _when(lambda asked: asked.kind in _INJECTIONS, 0.9, True),
    "drifting-halfway": _when(lambda asked: asked.late, 0.25, True),
    "one-arm-harsh": _when(lambda asked: asked.arm == "baseline", 0.4, False),
}

_THEN_AND_NOW: dict[str, Judge] = {
    "the same careful judge": _careful,
    "grown lenient: passes 30% of all answers unseen": _when(lambda asked: True, 0.3, True),
}

WANTED = {
    "always-pass": "agreement",
    "random": "repeatability",
    "length-lover": "bias: length",
    "self-preferring": "bias: self-preference",
    "injection-obeying": "injection",
    "drifting-halfway": "drift within the run",
    "one-arm-harsh": "differential error",
}
"""The audit that is there for the defect."""

COLUMNS = (
    "canaries",
    "injection",
    "repeatability",
    "drift within the run",
    "agreement",
    "bias: length",
    "bias: self-preference",
    "differential error",
    "UNFIT",
)


class World(NamedTuple):
    """A plan whose anchors have a known truth, and what a judge is told of each of them."""

    plan: Plan
    anchors: tuple[Asked, ...]


def world(rng: np.random.Generator) -> World:
    """Return the anchors of one seed: truth and length are independent of each other."""
    anchors, asked = [], []
    for number in range(N_CASES):
        for arm in ARMS:
            good = bool(rng.random() < PASS_RATES[arm])
            n_chars = int(rng.integers(50, 1000))
            label = "pass" if good else "fail"
            anchors.append(
                Anchor(
                    id=f"{number}-{arm}",
                    prompt="p",
                    answer="x" * n_chars,
                    reviews=(Review(by="r1", label=label), Review(by="r2", label=label)),
                    selection="random",
                    case=f"c{number}",
                    arm=arm,
                )
            )
            asked.append((good, arm, n_chars))
    middle = sorted(n_chars for _, _, n_chars in asked)[len(asked) // 2]
    told = tuple(Asked(good, arm, n_chars > middle, "anchor", late=False) for good, arm, n_chars in asked)
    return World(plan=_plan(tuple(anchors)), anchors=told)


def _plan(anchors: tuple[Anchor, ...]) -> Plan:
    def endpoint(family: str) -> EndpointSpec:
        return EndpointSpec(backend="chat", model=family, base_url="http://127.0.0.1:9/v1", family=family)

    return Plan(
        experiment=Experiment(
            name="planted",
            gold="gold",
            judge=JudgeUse(spec="judge", endpoint=endpoint("own")),
            arm=ArmSpecs(baseline=endpoint("other"), candidate=endpoint("own")),
            repeats=Repeats(answers=1, votes=N_VOTES),
            analysis=AnalysisSpec(margin=MARGIN, seed=1),
            gates=GATES,
        ),
        gold=GoldSpec(
            name="g", license="CC0-1.0", why="-", split=SplitSpec(salt="s", held_out=0.0, by="case")
        ),
        cases=tuple(Case(id=f"c{number}", prompt="p") for number in range(N_CASES)),
        held_out=(),
        canaries=tuple(
            Canary(
                id=f"probe:{probe.kind}",
                prompt="p",
                answer="a",
                expected=probe.expected,
                grader="judge",
                kind=probe.kind,
                why="probe",
            )
            for probe in PROBES
        ),
        anchors=anchors,
        judge=JudgeSpec(
            name="j",
            version="1",
            mode="single",
            labels=("pass", "fail"),
            passing=("pass",),
            reply="json",
            field="verdict",
            prompt="prompt.md",
            prompt_sha256="0" * 64,
            why="-",
        ),
        judge_prompt="$answer",
        templates=Templates(baseline=Template(), candidate=Template()),
        inputs=(),
    )


def reading(found: World, judge: Judge, rng: np.random.Generator) -> Reading:
    """Return the run that this judge makes: canaries first, then the anchors in rounds."""
    n = len(found.anchors)
    total = n * N_VOTES
    anchor_votes = [
        _vote(
            Subject(kind="anchor", id=anchor.id),
            repeat,
            judge(asked._replace(late=repeat * n + index >= total // 2), rng),
            at=repeat * n + index,
        )
        for index, (anchor, asked) in enumerate(zip(found.plan.anchors, found.anchors, strict=True))
        for repeat in range(N_VOTES)
    ]
    canary_votes = [
        _vote(
            Subject(kind="canary", id=canary.id),
            repeat,
            judge(
                Asked(canary.expected == "pass", "none", canary.kind == "padding", canary.kind, False), rng
            ),
            at=0,
        )
        for canary in found.plan.canaries
        for repeat in range(N_VOTES)
    ]
    return Reading(
        cases=(),
        case_votes=(),
        anchor_votes=tuple(anchor_votes),
        canary_votes=tuple(canary_votes),
        checked_canaries=(),
        identities=(),
        answers=(),
    )


def _vote(subject: Subject, repeat: int, passes: bool, *, at: int) -> Vote:
    return Vote(subject, repeat, Verdict("pass" if passes else "fail", None), at)


def caught(plan: Plan, read: Reading) -> set[str]:
    """Return which audits blame the judge of this run."""
    audits = Audits(
        canaries=audit_canaries(plan, read),
        routing=audit_routing(plan, read),
        repeatability=audit_repeatability(plan, read),
        human_agreement=audit_human_agreement(plan, read),
        bias=audit_bias(plan, read),
        differential=audit_differential(plan, read),
    )
    repeats = [reason.partition(":")[0] for reason in audits.repeatability.reasons]
    effects = {effect.of: effect.status for effect in audits.bias.effects}
    canaries = [reason.partition(":")[0] for reason in audits.canaries.reasons]
    blames = {
        "canaries": "canary_survived" in canaries,
        "injection": "injection_obeyed" in canaries,
        "repeatability": "flip_rate_high" in repeats,
        "drift within the run": "drift_within_run" in repeats,
        "agreement": audits.human_agreement.status == "fail",
        "bias: length": effects.get("length") == "fail",
        "bias: self-preference": effects.get("self_preference") == "fail",
        "differential error": audits.differential.status == "fail",
        "UNFIT": judge_fitness(plan, audits).status == "unfit",
    }
    return {name for name, blamed in blames.items() if blamed}


def _together(count: Callable[[list[int]], Counter[Key]], n_seeds: int, n_workers: int) -> Counter[Key]:
    """Add up the counts of all seeds, dealt to so many processes."""
    dealt = [list(range(first, n_seeds, n_workers)) for first in range(n_workers)]
    with ProcessPoolExecutor(n_workers) as pool:
        return sum(pool.map(count, dealt), Counter())


def table(seeds: Iterable[int]) -> Counter[Key]:
    """Return in how many seeds each audit blames each judge, by judge and audit."""
    counted: Counter[Key] = Counter()
    for seed in seeds:
        found = world(np.random.default_rng(seed))
        for number, (name, judge) in enumerate(JUDGES.items()):
            rng = np.random.default_rng([seed, number])
            counted.update((name, audit) for audit in caught(found.plan, reading(found, judge, rng)))
    return counted


def drift_table(seeds: Iterable[int]) -> Counter[Key]:
    """Return in how many seeds a judge that stayed careful, and one that grew lenient, is said to drift."""
    counted: Counter[Key] = Counter()
    for seed in seeds:
        rng = np.random.default_rng([seed, 99])
        found = world(rng)
        then = Audited(found.plan, reading(found, _careful, rng))
        for name, judge in _THEN_AND_NOW.items():
            now = Audited(found.plan, reading(found, judge, rng))
            counted[name, "drift"] += audit_drift(then, now).verdict == "drift"
    return counted


_HEAD = """\
# Planted judges

Share of {n_seeds} seeds in which an audit blames a scripted judge. Bold: the audit that is there for the
defect. Made by `python bench/planted_judges.py --seeds {n_seeds} --write docs/planted-judges.md`.

The rows of `perfect` and `careful` are false alarms; `careful` errs in {careful:.0%} of its votes, alike
everywhere. The others are careful too, but for their defect:

- `always-pass` and `random` look at nothing;
- `length-lover` passes answers above the median length in half of its votes, whatever they are;
- `self-preferring` does so with answers of its own family, the candidate's;
- `one-arm-harsh` fails the baseline's answers in 40% of its votes;
- `injection-obeying` passes 90% of the answers that talk to it;
- `drifting-halfway` passes everything in a quarter of its votes in the second half of the run."""


def markdown(n_seeds: int, n_workers: int) -> str:
    """Return the page with both tables."""
    blamed = _together(table, n_seeds, n_workers)
    lines = [
        *_HEAD.format(n_seeds=n_seeds, careful=CAREFUL).splitlines(),
        "",
        f"Each seed has {N_CASES} cases, both arms' answers labelled by two people, {N_VOTES} votes on each,",
        f"and the {len(PROBES)} built-in probes. The plan holds sensitivity and specificity to",
        f"{GATES.judge_sensitivity}, the flip rate to {GATES.judge_flip_rate}, bias to {GATES.bias_band},",
        f"and the margin is {MARGIN}.",
        "",
        f"| judge | {' | '.join(COLUMNS)} |",
        f"| --- |{' ---: |' * len(COLUMNS)}",
    ]
    for name in JUDGES:
        cells = [_share(blamed[name, column], n_seeds, bold=WANTED.get(name) == column) for column in COLUMNS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    drift = _together(drift_table, n_seeds, n_workers)
    lines += [
        "",
        "An audit of a careful judge, then another of the same anchors, held against it with `gates.drift` = "
        f"{GATES.drift}:",
        "",
        "| the judge now | said to drift |",
        "| --- | ---: |",
        *(f"| {name} | {_share(drift[name, 'drift'], n_seeds, bold=False)} |" for name in _THEN_AND_NOW),
        "",
        *_pairs(n_seeds, n_workers),
        "",
        f"A share of 0.000 is less than {3 / n_seeds:.3f} with 95% confidence. A defect is often caught by",
        "more than one audit, and any one of them makes the judge unfit.",
        "",
    ]
    return "\n".join(lines)


def _pairs(n_seeds: int, n_workers: int) -> list[str]:
    """Return the lines of the second table: judges of two answers."""
    blamed = _together(planted_pairs.table, n_seeds, n_workers)
    columns, wanted = planted_pairs.COLUMNS, planted_pairs.WANTED
    lines = [
        *planted_pairs.HEAD.splitlines(),
        "",
        f"| judge | {' | '.join(columns)} |",
        f"| --- |{' ---: |' * len(columns)}",
    ]
    for name in planted_pairs.JUDGES:
        cells = [_share(blamed[name, column], n_seeds, bold=wanted.get(name) == column) for column in columns]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _share(count: int, n: int, *, bold: bool) -> str:
    text = f"{count / n:.3f}"
    return f"**{text}**" if bold else text


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    start = time.perf_counter()
    page = markdown(arguments.seeds, arguments.workers)
    if arguments.write is None:
        print(page)
    else:
        arguments.write.write_text(page, encoding="utf-8")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
