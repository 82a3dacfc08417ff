"""Plans with a pairwise judge, and judges for them, for tests."""

import json
from collections.abc import Callable
from typing import Any

from runs import a_plan

from harness.backends.scripted import ScriptedBackend
from harness.domain.calls import Request, Response
from harness.domain.plan import Plan
from harness.domain.specs import JudgeSpec

PROMPT = "Question: $prompt\n$first\n$second\nWhich is better, A or B, or C for neither?"
SPEC = {
    "name": "versus",
    "version": "1",
    "mode": "pairwise",
    "labels": ["A", "B", "C"],
    "first": ["A"],
    "second": ["B"],
    "tie": ["C"],
    "reply": "last-line",
    "marker": "",
    "open": "[[",
    "close": "]]",
    "prompt": "prompt.md",
    "prompt_sha256": "0" * 64,
    "why": "a test",
}

Say = Callable[[str, str], str]
"""What a judge says of the answers it is shown first and second."""


def a_judge(**fields: Any) -> JudgeSpec:
    """A pairwise judge."""
    return JudgeSpec.from_json(json.dumps({**SPEC, **fields}))


def a_pair_plan(**fields: Any) -> Plan:
    """`runs.a_plan`, with a judge that compares both arms' answers."""
    plan = a_plan(judge_prompt=PROMPT, **fields)
    return plan.model_copy(
        update={
            "judge": a_judge(prompt_sha256=plan.judge.prompt_sha256 if plan.judge else "0" * 64),
            "canaries": tuple(
                canary.model_copy(update={"other": f"better {n}", "expected": "loss"})
                for n, canary in enumerate(plan.canaries)
            ),
            "anchors": tuple(
                anchor.model_copy(update={"other": f"not so {n}"}) for n, anchor in enumerate(plan.anchors)
            ),
        }
    )


def shown_in(request: Request) -> tuple[str, str]:
    """The two answers in a judge's request, in their order."""
    content = json.loads(request.body)["messages"][-1]["content"]
    first, second = (content.split(f"<{place}-")[1] for place in ("first", "second"))
    return _inside(first), _inside(second)


def _inside(text: str) -> str:
    return text.split("\n", 1)[1].split("\n</")[0]


def judged_by(
    say: Say, answers: Callable[[Request], str | Response], **fields: Any
) -> dict[str, ScriptedBackend]:
    """Backends of both arms, and of a judge that says this of what it is shown."""

    def script(request: Request) -> str | Response:
        if request.role == "answer":
            return answers(request)
        return f"So.\n[[{say(*shown_in(request))}]]"

    return {
        name: ScriptedBackend(script, model=f"m-{name}", **fields)
        for name in ("baseline", "candidate", "judge")
    }


def arm_and_case(request: Request) -> str:
    """An answer that says whose it is."""
    return f"{request.endpoint} on {request.subject.id}, {request.repeat}"


def prefers(word: str) -> Say:
    """A judge that prefers the answer with this word, wherever it stands."""
    return lambda first, second: "A" if word in first else "B" if word in second else "C"


def first_slot(first: str, second: str) -> str:
    """A judge that always prefers what it is shown first."""
    return "A"
