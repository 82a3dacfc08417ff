"""How much of what was planned is there, by arm and reason, before any rate."""

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.domain.cases import ARMS, Arm
from harness.domain.manifest import Reading
from harness.domain.plan import Plan
from harness.domain.report import ArmCompleteness, Completeness
from harness.domain.verdicts import AnswerNote, CaseResult, Graded

# A token of any common tokenizer is seldom longer than this on running text.
_MOST_CHARS_A_TOKEN = 10
_LONG_PROMPT_CHARS = 2000


def count_completeness(
    plan: Plan, reading: Reading, *, n_calls_planned: int, n_calls_answered: int, opened: bool
) -> Completeness:
    """Count answers, votes and grades of both arms.

    Even which verdicts are missing says something of a held-out case: only
    the calls as a whole are counted over both sides of the split.

    Args:
        plan: The plan.
        reading: The run, read.
        n_calls_planned: Calls the plan comes to, on both sides.
        n_calls_answered: Responses that came, on both sides.
        opened: Whether the held-out split was opened.
    """
    seen = reading if opened else exploratory_only(reading)
    return Completeness(
        n_calls_planned=n_calls_planned,
        n_calls_answered=n_calls_answered,
        n_cases_not_counted=len(reading.cases) - len(seen.cases),
        arms=tuple(_arm(plan, seen, arm) for arm in ARMS),
        unpaired_cases=tuple(result.case for result in seen.cases if not _paired(result)),
        warnings=tuple(_warnings(plan, seen)),
    )


def exploratory_only(reading: Reading) -> Reading:
    """Return the reading without what it holds of held-out cases."""
    return reading.only({result.case for result in reading.cases if result.split == "exploratory"})


def _side(result: CaseResult, arm: Arm) -> tuple[Graded, ...]:
    return result.baseline if arm == "baseline" else result.candidate


def _paired(result: CaseResult) -> bool:
    return all(any(answer.outcome is not None for answer in _side(result, arm)) for arm in ARMS)


def _arm(plan: Plan, reading: Reading, arm: Arm) -> ArmCompleteness:
    answers = [answer for result in reading.cases for answer in _side(result, arm)]
    shown = {result.case for result in reading.cases}
    judged = {case.id for case in plan.cases if not case.checks and case.id in shown}
    # A vote that compares two answers is about both arms' answers.
    orders = 2 if plan.is_pairwise else 1
    votes = [vote for vote in reading.case_votes if plan.is_pairwise or vote.subject.arm == arm]
    read = [vote for vote in votes if vote.verdict.label is not None]
    repeats = plan.experiment.repeats
    asked_of_judge = len(judged) * repeats.answers * repeats.votes * len(plan.judges) * orders
    missing = Counter(answer.reason for answer in answers if answer.reason is not None)
    silent = Counter(vote.verdict.no_verdict for vote in votes if vote.verdict.no_verdict is not None)
    never_asked = asked_of_judge - len(votes)
    if never_asked > 0:
        silent["not_run"] += never_asked
    return ArmCompleteness(
        arm=arm,
        n_cases=len(reading.cases),
        n_answers_asked=len(answers),
        n_answers=sum(note.arm == arm for note in reading.answers),
        n_votes_asked=asked_of_judge,
        n_votes=len(read),
        n_graded=sum(answer.outcome is not None for answer in answers),
        answers_missing=tuple(sorted(missing.items())),
        votes_missing=tuple(sorted(silent.items())),
    )


def _warnings(plan: Plan, reading: Reading) -> Iterator[str]:
    for arm in ARMS:
        notes = [note for note in reading.answers if note.arm == arm]
        yield from _cut_prompts(arm, notes)
        yield from _no_variation(plan, arm, notes)
        if "seed" in plan.endpoint(arm).sampling:
            yield f"seed_sent: {arm} was sent a seed; its effect is not confirmed"


def _cut_prompts(arm: Arm, notes: Sequence[AnswerNote]) -> Iterator[str]:
    cut = sorted(
        {
            note.case
            for note in notes
            if note.prompt_tokens is not None
            and note.expected_prompt_chars > _LONG_PROMPT_CHARS
            and note.prompt_tokens * _MOST_CHARS_A_TOKEN < note.expected_prompt_chars
        }
    )
    if cut:
        yield (
            f"prompt_cut: {arm} reports far fewer prompt tokens than were sent on {len(cut)} cases, "
            f"first {cut[0]}"
        )


def _no_variation(plan: Plan, arm: Arm, notes: Sequence[AnswerNote]) -> Iterator[str]:
    repeats = plan.experiment.repeats.answers
    hot = plan.endpoint(arm).sampling.get("temperature") not in (0, 0.0)
    if repeats < 2 or not hot or _vary(notes):
        return
    n_repeated = sum(n_answers > 1 for n_answers in Counter(note.case for note in notes).values())
    if n_repeated:
        yield (
            f"no_variation: {arm} gave {repeats} equal answers on all {n_repeated} cases; "
            f"they are not {repeats} independent answers"
        )


def _vary(notes: Sequence[AnswerNote]) -> bool:
    """Return whether some case has two answers that differ; one such case is enough."""
    first: dict[str, str] = {}
    return any(first.setdefault(note.case, note.text_sha256) != note.text_sha256 for note in notes)
