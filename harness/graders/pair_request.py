"""What a pairwise judge is asked about two answers, in one order.

As a single answer, each of the two stands between lines that hold a delimiter:
a digest of everything the judge is shown, both answers and their order included.
"""

from itertools import count

from harness.domain.body import chat_body
from harness.domain.canonical import digest_of_plain
from harness.domain.cases import Message
from harness.domain.errors import InputError
from harness.domain.plan import Plan
from harness.domain.specs import JudgeSpec
from harness.graders.judge_request import DELIMITER_CHARS
from harness.graders.substitution import fill


def pair_body(plan: Plan, *, prompt: str, reference: str | None, first: str, second: str) -> str:
    """Return the JSON text of the request that shows the judge two answers in this order.

    Raises:
        InputError: The plan has no judge, or its prompt cannot be filled.
    """
    endpoint = plan.endpoint("judge")
    messages = pair_messages(plan, prompt=prompt, reference=reference, first=first, second=second)
    return chat_body(model=endpoint.model, messages=messages, sampling=endpoint.sampling)


def pair_messages(
    plan: Plan, *, prompt: str, reference: str | None, first: str, second: str
) -> tuple[Message, ...]:
    """Return the messages that show the judge two answers in this order.

    Args:
        plan: The plan, which holds the judge and its prompt.
        prompt: What both arms were asked, as one text.
        reference: The reference answer, where there is one.
        first: The answer shown first, character for character.
        second: The answer shown second.

    Raises:
        InputError: The plan has no judge, or its prompt cannot be filled.
    """
    if plan.judge is None or plan.judge_prompt is None:
        raise InputError("the plan has no judge, and two answers were to be compared")
    delimiter = pair_delimiter(plan.judge, prompt=prompt, reference=reference, first=first, second=second)
    values = {
        "prompt": prompt,
        "reference": reference,
        "first": _fenced("first", first, delimiter),
        "second": _fenced("second", second, delimiter),
        "delimiter": delimiter,
    }
    asked = Message(role="user", content=fill(plan.judge_prompt, values))
    system = plan.judge.system
    return (asked,) if system is None else (Message(role="system", content=system), asked)


def pair_delimiter(judge: JudgeSpec, *, prompt: str, reference: str | None, first: str, second: str) -> str:
    """Return the delimiter of both answers: 32 hexadecimal digits that occur in nothing shown with them."""
    shown = {
        "judge": judge.prompt_sha256,
        "prompt": prompt,
        "reference": reference,
        "first": first,
        "second": second,
    }
    texts = (prompt, reference or "", first, second)
    candidates = (digest_of_plain({**shown, "attempt": attempt})[:DELIMITER_CHARS] for attempt in count())
    return next(found for found in candidates if not any(found in text for text in texts))


def _fenced(place: str, answer: str, delimiter: str) -> str:
    return f"<{place}-{delimiter}>\n{answer}\n</{place}-{delimiter}>"
