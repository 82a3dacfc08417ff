"""What a judge is asked about one answer.

The answer stands between two lines that hold a delimiter. The delimiter is a
digest of everything the judge is shown, the answer included, so nobody who
writes an answer can know it beforehand, and yet the same request can be built
again from the plan and the evidence. ``$delimiter`` lets the judge's prompt
name it.
"""

import re
from itertools import count

from harness.domain.body import chat_body
from harness.domain.canonical import digest_of_plain
from harness.domain.cases import Message
from harness.domain.errors import InputError
from harness.domain.plan import Plan
from harness.domain.specs import JudgeMode, JudgeSpec
from harness.graders.substitution import fill, missing_value, placeholders, template_problem

JUDGE_PLACEHOLDERS: dict[JudgeMode, tuple[str, ...]] = {
    "single": ("prompt", "reference", "answer", "delimiter"),
    "pairwise": ("prompt", "reference", "first", "second", "delimiter"),
}
_ANSWERS: dict[JudgeMode, tuple[str, ...]] = {"single": ("answer",), "pairwise": ("first", "second")}
DELIMITER_CHARS = 32
_FOREIGN = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")


def judge_body(plan: Plan, *, prompt: str, reference: str | None, answer: str) -> str:
    """Return the JSON text of the request that asks the judge about the answer.

    Raises:
        InputError: The plan has no judge, or its prompt cannot be filled.
    """
    endpoint = plan.endpoint("judge")
    messages = judge_messages(plan, prompt=prompt, reference=reference, answer=answer)
    return chat_body(model=endpoint.model, messages=messages, sampling=endpoint.sampling)


def judge_messages(plan: Plan, *, prompt: str, reference: str | None, answer: str) -> tuple[Message, ...]:
    """Return the messages that ask the judge about the answer.

    Args:
        plan: The plan, which holds the judge and its prompt.
        prompt: What the arm was asked, as one text.
        reference: The reference answer, where there is one.
        answer: The answer to be judged, character for character.

    Raises:
        InputError: The plan has no judge, or its prompt cannot be filled.
    """
    if plan.judge is None or plan.judge_prompt is None:
        raise InputError("the plan has no judge, and an answer was to be judged")
    delimiter = answer_delimiter(plan.judge, prompt=prompt, reference=reference, answer=answer)
    values = {
        "prompt": prompt,
        "reference": reference,
        "answer": fenced(answer, delimiter),
        "delimiter": delimiter,
    }
    asked = Message(role="user", content=fill(plan.judge_prompt, values))
    system = plan.judge.system
    return (asked,) if system is None else (Message(role="system", content=system), asked)


def answer_delimiter(judge: JudgeSpec, *, prompt: str, reference: str | None, answer: str) -> str:
    """Return the delimiter of the answer: 32 hexadecimal digits that occur in nothing it is shown with.

    An answer would have to hold a digest of itself to close its own fence.
    """
    shown = {"judge": judge.prompt_sha256, "prompt": prompt, "reference": reference, "answer": answer}
    texts = (prompt, reference or "", answer)
    candidates = (digest_of_plain({**shown, "attempt": attempt})[:DELIMITER_CHARS] for attempt in count())
    return next(found for found in candidates if not any(found in text for text in texts))


def fenced(answer: str, delimiter: str) -> str:
    """Return the answer between its two lines."""
    return f"<answer-{delimiter}>\n{answer}\n</answer-{delimiter}>"


def judge_prompt_problem(template: str, *, mode: JudgeMode) -> str | None:
    """Return what is wrong with a judge's prompt itself, or null.

    A placeholder in the writing of another tool would reach the judge as it
    stands, and judges tend to find such a text correct: it is refused.
    """
    complaint = template_problem(template, known=JUDGE_PLACEHOLDERS[mode])
    if complaint is not None:
        return complaint
    foreign = _FOREIGN.search(template)
    if foreign is not None:
        line = template.count("\n", 0, foreign.start()) + 1
        return f"line {line}: {foreign[0]} is never filled; a placeholder is written $name"
    for answer in _ANSWERS[mode]:
        if answer not in placeholders(template):
            return f"no ${answer}: the judge would not see what it judges"
    return None


def judge_value_problem(template: str, *, reference: str | None) -> str | None:
    """Return which placeholder a case leaves empty, or null: one call for each case, canary and anchor."""
    return missing_value(template, {"reference": reference})
