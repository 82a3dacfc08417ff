"""Reading a judge's reply: a label from the one declared place, or no verdict and why."""

from collections.abc import Callable
from functools import lru_cache, partial

from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import Verdict
from harness.graders.bracketed import read_bracketed
from harness.graders.json_reply import read_json_reply
from harness.graders.last_line import read_last_line, verdict_line
from harness.graders.reply_words import words_of, words_problem

N_REMEMBERED = 4096


def read_reply(spec: JudgeSpec, text: str) -> Verdict:
    """Return the verdict that the reply states at the place the spec declares.

    The places, and what counts as the same word, are written down in
    `last_line`, `bracketed` and `json_reply`. Everything else in the reply is ignored; what
    cannot be read is ``unreadable`` with a detail, never a guess. Never raises.
    """
    return reply_reader(spec)(text)


def reply_reader(spec: JudgeSpec) -> Callable[[str], Verdict]:
    """Return `read_reply` for one spec, prepared once for many replies."""
    words = words_of(spec)
    if spec.reply == "json":
        read = partial(read_json_reply, words, spec.field or "")
    elif spec.reply == "bracketed":
        read = partial(read_bracketed, verdict_line(spec, words))
    else:
        read = partial(read_last_line, verdict_line(spec, words))
    # Replies repeat: votes of one judge on easy answers are often one text.
    return lru_cache(maxsize=N_REMEMBERED)(read)


def judge_problem(spec: JudgeSpec) -> str | None:
    """Return why replies to this judge could not be read without doubt, or null."""
    if bool(spec.open) != bool(spec.close):
        return "open, close: wanted both or neither"
    if spec.marker and not spec.marker.strip():
        return 'marker: it is white space only; "" means a bare last line'
    return words_problem(spec)
