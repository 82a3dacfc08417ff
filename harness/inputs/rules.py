"""What the graders know about templates and checks, handed to the readers of files.

The two rooms stand on one floor and do not import each other, yet a check that
cannot work is to be told with the line it is written on.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from harness.domain.cases import Anchor, Canary, Case
from harness.domain.checks import Check
from harness.domain.plan import Template
from harness.domain.specs import JudgeMode, JudgeSpec


class JudgeValueProblem(Protocol):
    """Tells which placeholder of a judge's prompt has no value for a case."""

    def __call__(self, template: str, /, *, reference: str | None) -> str | None:
        """Return the complaint, or null."""
        ...


class JudgePromptProblem(Protocol):
    """Tells what is wrong with the prompt of a judge of this mode."""

    def __call__(self, template: str, /, *, mode: JudgeMode) -> str | None:
        """Return the complaint, or null."""
        ...


class ArmTemplateProblem(Protocol):
    """Tells why a template cannot ask an arm, about one case where one is given."""

    def __call__(self, template: Template, case: Case | None, /) -> str | None:
        """Return the complaint, or null."""
        ...


class JudgeProbes(Protocol):
    """Builds the built-in canaries of a judge."""

    def __call__(
        self, judge: JudgeSpec, /, *, cases: Sequence[Case], anchors: Sequence[Anchor]
    ) -> tuple[Canary, ...]:
        """Return those that can be built."""
        ...


class GraderRules(NamedTuple):
    """Five questions; each answer is a complaint without a place, or null; and the built-in probes."""

    check_problem: Callable[[Check], str | None]
    judge_problem: Callable[[JudgeSpec], str | None]
    judge_prompt_problem: JudgePromptProblem
    judge_value_problem: JudgeValueProblem
    arm_template_problem: ArmTemplateProblem
    judge_probes: JudgeProbes
