"""What an arm is asked about a case: its template around the case's own text."""

from harness.domain.cases import Arm, Case, Message
from harness.domain.errors import InputError
from harness.domain.plan import Plan, Template
from harness.graders.substitution import fill, placeholders, template_problem

ARM_PLACEHOLDERS = ("prompt",)
"""An arm sees the prompt, never the reference."""


def answer_messages(plan: Plan, case: Case, arm: Arm) -> tuple[Message, ...]:
    """Return the messages that ask the arm for an answer to the case.

    The arm's system text comes first; its prompt template goes around the
    case's prompt, or around the last message of a case that has messages.

    Raises:
        InputError: The template does not fit; the message names the case.
    """
    template = plan.template(arm)
    complaint = arm_template_problem(template, case)
    if complaint is not None:
        raise InputError(f"case {case.id!r}, arm {arm}: {complaint}")
    messages = case.messages or (Message(role="user", content=case.prompt or ""),)
    if template.prompt is not None:
        asked = fill(template.prompt, {"prompt": messages[-1].content})
        messages = (*messages[:-1], Message(role="user", content=asked))
    if template.system is not None:
        messages = (Message(role="system", content=template.system), *messages)
    return messages


def arm_template_problem(template: Template, case: Case | None = None) -> str | None:
    """Return why the template cannot ask an arm (about the case, where one is given), or null."""
    if template.prompt is None:
        return None
    complaint = template_problem(template.prompt, known=ARM_PLACEHOLDERS)
    if complaint is not None:
        return complaint
    if "prompt" not in placeholders(template.prompt):
        return "$prompt is missing, so the case would not be asked"
    if case is not None and case.messages and case.messages[-1].role != "user":
        return f"the template goes around the last message, which is the {case.messages[-1].role}'s"
    return None


def prompt_text(case: Case) -> str:
    """Return the case's prompt as one text, as a judge is shown it.

    Messages are written one after the other under their role; a single user
    message stands alone.
    """
    if case.prompt is not None:
        return case.prompt
    if len(case.messages) == 1 and case.messages[0].role == "user":
        return case.messages[0].content
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in case.messages)
