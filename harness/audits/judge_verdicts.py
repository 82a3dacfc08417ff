"""Does a judge of a panel say anything? The majority of the others would hide that it does not."""

from harness.domain.fitness import FitnessPart
from harness.domain.manifest import Reading
from harness.domain.plan import Plan


def judge_verdicts(plan: Plan, reading: Reading) -> FitnessPart:
    """Hold the share of answers on which one judge has a verdict against ``gates.completeness``.

    Args:
        plan: The plan as this judge alone is seen in it.
        reading: The run as it would be with this judge alone. Only answers
            with a text to exploratory cases count, and of these only those that
            it was asked about: a run may stop between an answer and its votes.
    """
    sides = plan.split_of()
    judged = {case.id for case in plan.cases if not case.checks and sides[case.id] == "exploratory"}
    shown = {(note.case, note.arm, note.repeat) for note in reading.answers if note.case in judged}
    graded = [
        answer.outcome is not None
        for result in reading.cases
        for arm, answers in (("baseline", result.baseline), ("candidate", result.candidate))
        for repeat, answer in enumerate(answers)
        if (result.case, arm, repeat) in shown and answer.reason != "not_run"
    ]
    part = FitnessPart(name="verdicts", status="pass", needed=False)
    if not graded:
        reason = "no_answers: the judge was shown no answer of an arm"
        return part.model_copy(update={"status": "not_audited", "reasons": (reason,)})
    wanted = plan.experiment.gates.completeness
    if sum(graded) >= wanted * len(graded):
        return part
    counted = f"a verdict on {sum(graded)} of {len(graded)} answers, wanted at least {wanted:.0%}"
    return part.model_copy(update={"status": "fail", "reasons": (f"verdicts_missing: {counted}",)})
