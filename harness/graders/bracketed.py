"""Reading a label that stands in brackets anywhere in a judge's reply.

The written rule: ``open`` and ``close`` are looked for on every line that does
not start with ``>``. The last pair of them holds the label; if it holds none
there is none. If an earlier pair holds another label there is none. What is
the same word is told in `last_line`.

This is how FastChat's pairwise judges are read. A label that the judge quotes
from an answer counts like its own, so a judge that is asked for a last line is
the safer one.
"""

from harness.domain.verdicts import Verdict
from harness.graders.folding import visible
from harness.graders.last_line import VerdictLine, decided, unreadable


def read_bracketed(rule: VerdictLine, text: str) -> Verdict:
    """Return the verdict of a reply; the rule stands at the head of this file."""
    lines = [line for line in visible(text).splitlines() if not line.lstrip().startswith(">")]
    values = [found[0] for line in lines for found in rule.pair.finditer(line)] if rule.pair else []
    return decided(rule, values) if values else unreadable("no label in brackets")
