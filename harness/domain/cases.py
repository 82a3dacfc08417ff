"""Cases, canaries and anchors, as people write them."""

from typing import Annotated, Literal

from pydantic import Field

from harness.domain.checks import Check
from harness.domain.record import Record, Text

Arm = Literal["baseline", "candidate"]
ARMS: tuple[Arm, Arm] = ("baseline", "candidate")

Split = Literal["exploratory", "held_out"]
Outcome = Literal["pass", "fail"]
Preference = Literal["win", "loss", "tie"]
"""What a comparison comes to, seen from the candidate, or from ``answer`` beside ``other``."""


class Message(Record):
    """One chat message of a case."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str


class Case(Record):
    """One gold item. It has a ``prompt`` or ``messages``, never both.

    A case that has ``checks`` is graded by them; every other case is judged.
    """

    id: Text
    prompt: Text | None = None
    messages: tuple[Message, ...] = ()
    reference: str | None = None
    cluster: Text | None = None
    tags: tuple[Text, ...] = ()
    weight: Annotated[float, Field(gt=0, le=1e9)] = 1.0
    split: Split | None = None
    checks: tuple[Check, ...] = ()
    why: str | None = None

    @property
    def group(self) -> str:
        """The cluster the case counts with: its own id where none is named."""
        return self.cluster if self.cluster is not None else self.id


class Canary(Record):
    """An answer planted with a known outcome, for the checks or for the judge.

    A pairwise judge is shown ``answer`` beside ``other``, in both orders, and
    ``expected`` says whether ``answer`` wins.
    """

    id: Text
    prompt: Text
    answer: str
    other: str | None = None
    expected: Outcome | Preference
    grader: Literal["checks", "judge"]
    why: Text
    kind: Text = "planted"
    reference: str | None = None
    checks: tuple[Check, ...] = ()


class Review(Record):
    """What one person said of an answer."""

    by: Text
    label: Text


class Anchor(Record):
    """An answer that people reviewed.

    ``label`` is the adjudicated label where people settled one. ``case`` and
    ``arm`` tie the anchor to a case of the gold set; ``selection`` says whether
    it was drawn at random or chosen. For a pairwise judge people say whether
    ``answer`` wins over ``other``; with an arm, ``other`` is the other arm's.
    """

    id: Text
    prompt: Text
    answer: str
    other: str | None = None
    reviews: tuple[Review, ...] = ()
    label: Text | None = None
    selection: Literal["random", "curated"]
    reference: str | None = None
    case: Text | None = None
    arm: Arm | None = None
    tags: tuple[Text, ...] = ()
