"""What a case asks, as it is compared with what others ask."""

from typing import NamedTuple

from harness.domain.canonical import text_digest
from harness.domain.cases import Case
from harness.inputs.rows import folded


class Content(NamedTuple):
    """The digests of a case's prompt and of its reference, both folded."""

    prompt: str
    reference: str


def content_of(case: Case) -> Content:
    """Return the case's content as it is compared: roles and texts, white space and Unicode folded."""
    reference = "" if case.reference is None else f"=\x1f{folded(case.reference)}"
    return Content(prompt_digest(case), text_digest(reference))


def prompt_digest(case: Case) -> str:
    """Return the digest of the case's prompt, folded: equal prompts have one, whatever their ids are."""
    messages = [(message.role, folded(message.content)) for message in case.messages]
    if case.prompt is not None:
        messages = [("user", folded(case.prompt))]
    return text_digest("\x1e".join(f"{role}\x1f{content}" for role, content in messages))
