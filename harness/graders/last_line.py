"""Reading a label from the verdict line of a judge's reply.

The written rule:

1. Format characters are removed and compatibility forms folded (NFKC); case
   does not count. A line ends where Unicode says that a line must end.
2. A verdict line starts with the marker. White space, heading signs and
   emphasis before it do not count; quotes, quoting signs and words do, so what
   a judge quotes from the answer in front of it is no verdict line.
3. The rest of the line, all of it, is the label. With ``open`` and ``close``
   the label stands between them. Emphasis, quotes and one full stop around it
   do not count.
4. The last verdict line decides, whatever stands above it; if it holds no
   label there is none. If another verdict line holds another label there is
   none.
5. Where ``open`` and ``close`` are both set, the marker may also start the
   last sentence of the reply ("... is wrong. Rating: [[2]]"): it is the end of
   the reply, after the end of a sentence, and in brackets that prose does not
   use. After a colon or inside quotes it does not count ('it contains the line:
   "Rating: [[10]]"').
6. An empty marker means a bare last line: the last line that is not blank is
   the label. With ``open`` and ``close`` it ends with the label between them,
   and no other label stands between them anywhere in the reply.
7. A reply that is nothing but a label needs no marker.
"""

import re
from typing import NamedTuple

from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import Verdict
from harness.graders.folding import AROUND, visible
from harness.graders.reply_words import Words, label_of, several_numbers, why_not

_SENTENCE_END = r"[.!?][\"'”’)\]]*[ \t]+"
_AROUND = f"[{re.escape(AROUND)}]*"


class VerdictLine(NamedTuple):
    """Where the label stands in a reply, compiled from a judge's spec once.

    ``bare`` is set where the marker is empty; ``whole`` and ``pair`` are null
    where the label stands between nothing.
    """

    words: Words
    bare: bool
    line: re.Pattern[str]
    sentence: re.Pattern[str]
    whole: re.Pattern[str] | None
    pair: re.Pattern[str] | None


def verdict_line(spec: JudgeSpec, words: Words) -> VerdictLine:
    """Return the rule of a judge whose reply is read from its verdict line."""
    marker = visible(spec.marker or "").strip()
    pattern = _marker_pattern(marker)
    before, after = (re.escape(visible(text).strip()) for text in (spec.open, spec.close))
    whole = rf"{_AROUND}{before}(?P<label>.*?){after}(?P<of>\s*(?:/|out of)\s*[0-9]+)?{_AROUND}\.?{_AROUND}"
    return VerdictLine(
        words=words,
        bare=not marker,
        line=re.compile(rf"[ \t]*(?:#{{1,6}}[ \t]+)?[*_]{{0,3}}{pattern}(?P<value>.*)", re.IGNORECASE),
        sentence=re.compile(rf".*{_SENTENCE_END}{pattern}(?P<value>.*)", re.IGNORECASE),
        whole=re.compile(whole, re.IGNORECASE) if before or after else None,
        pair=re.compile(rf"{before}(?:(?!{before}).)*?{after}", re.IGNORECASE) if before and after else None,
    )


def read_last_line(rule: VerdictLine, text: str) -> Verdict:
    """Return the verdict of a reply; the rule stands at the head of this file."""
    lines = [line for line in visible(text).splitlines() if line.strip()]
    if not lines:
        return unreadable("an empty reply")
    alone = _label(rule, lines[0]) if len(lines) == 1 else None
    if alone is not None:
        return Verdict(label=alone, no_verdict=None)
    values = _bare_values(rule, lines) if rule.bare else _marked_values(rule, lines)
    if values:
        return decided(rule, values)
    several = several_numbers(rule.words, text)
    return unreadable("no verdict line, and several numbers" if several else "no verdict line")


def decided(rule: VerdictLine, values: list[str]) -> Verdict:
    """Return what the last value says, unless an earlier one holds another label."""
    labels = [_label(rule, value) for value in values]
    if labels[-1] is None:
        return unreadable(why_not(rule.words, values[-1]))
    found = sorted({label for label in labels if label is not None})
    if len(found) > 1:
        return unreadable(f"different verdicts: {', '.join(found)}")
    return Verdict(label=found[0], no_verdict=None)


def _marked_values(rule: VerdictLine, lines: list[str]) -> list[str]:
    values = [found["value"] for found in map(rule.line.match, lines) if found is not None]
    if rule.pair is not None and rule.line.match(lines[-1]) is None:
        last = rule.sentence.match(lines[-1])
        return values if last is None else [*values, last["value"]]
    return values


def _bare_values(rule: VerdictLine, lines: list[str]) -> list[str]:
    if rule.pair is None:
        return lines[-1:]
    pairs = [found for line in lines for found in rule.pair.finditer(line)]
    if not pairs or pairs[-1].string is not lines[-1]:
        return []
    # What follows the last pair on its line belongs to it: it must be nothing.
    return [*(found[0] for found in pairs[:-1]), lines[-1][pairs[-1].start() :]]


def _label(rule: VerdictLine, value: str) -> str | None:
    if rule.whole is None:
        return label_of(rule.words, value)
    found = rule.whole.fullmatch(value.strip())
    return None if found is None else label_of(rule.words, found["label"] + (found["of"] or ""))


def _marker_pattern(marker: str) -> str:
    word = marker.rstrip(":=-> \t")
    tail = marker[len(word) :].strip()
    spelled = r"[ \t]+".join(re.escape(part) for part in word.split())
    # Emphasis may end before the colon, as in "**Rating**: 7". Without a sign
    # at its end the marker must not run on into a longer word.
    return rf"{spelled}[*_]{{0,3}}" + (rf"[ \t]*{re.escape(tail)}" if tail else r"(?!\w)")


def unreadable(detail: str) -> Verdict:
    """Return the verdict of a reply that states none where it should."""
    return Verdict(label=None, no_verdict="unreadable", detail=detail[:100])
