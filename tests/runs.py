"""Plans, virtual time, and whole runs in memory, for tests of the runner and the store."""

import asyncio
import hashlib
import json
import selectors
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from harness.backends.protocol import Backend
from harness.backends.scripted import Script, ScriptedBackend
from harness.domain.calls import Attempt, Evidence, Progress, Request, Response, Stored, Timing
from harness.domain.canonical import canonical_bytes
from harness.domain.plan import Plan
from harness.runner.asking import Asking, Outcome
from harness.runner.collect import run_records
from harness.store.protocol import ResponseStore

T = TypeVar("T")
ENDPOINTS = ("baseline", "candidate", "judge")
SHA = "0" * 64
VERDICT = "Good enough.\nVERDICT: pass"


def an_endpoint_text(name: str, **fields: Any) -> dict[str, Any]:
    """An endpoint as written in an experiment."""
    return {"backend": "chat", "model": f"m-{name}", "base_url": f"http://{name}.test/v1", **fields}


def a_plan(
    *,
    cases: int | list[dict[str, Any]] = 3,
    answers: int = 2,
    votes: int = 1,
    canaries: int = 1,
    anchors: int = 2,
    judge: bool = True,
    endpoints: Mapping[str, Mapping[str, Any]] | None = None,
    templates: Mapping[str, Any] | None = None,
    budget: Mapping[str, Any] | None = None,
    sequential: Mapping[str, Any] | None = None,
    held_out: Sequence[str] = (),
    seed: int = 7,
    judge_prompt: str = "Question: $prompt\n$answer\nVERDICT: pass or fail?",
) -> Plan:
    """A whole plan, in memory. ``cases`` is how many, or the cases themselves."""
    extra = endpoints or {}
    written = {name: an_endpoint_text(name, **extra.get(name, {})) for name in ENDPOINTS}
    if isinstance(cases, int):
        cases = [{"id": f"c{n}", "prompt": f"Question {n}?"} for n in range(cases)]
    spec = {
        "name": "j",
        "version": "1",
        "mode": "single",
        "labels": ["pass", "fail"],
        "passing": ["pass"],
        "reply": "last-line",
        "marker": "VERDICT:",
        "prompt": "prompt.md",
        "prompt_sha256": hashlib.sha256(judge_prompt.encode()).hexdigest(),
        "why": "a test",
    }
    document = {
        "experiment": {
            "name": "e",
            "gold": "gold",
            "judge": {"spec": "j", "endpoint": written["judge"]} if judge else None,
            "arm": {"baseline": written["baseline"], "candidate": written["candidate"]},
            "repeats": {"answers": answers, "votes": votes},
            "analysis": {"margin": 0.05, "seed": seed},
            "budget": dict(budget or {}),
            "sequential": None if sequential is None else dict(sequential),
        },
        "gold": {
            "name": "g",
            "license": "CC0-1.0",
            "why": "a test",
            "split": {"salt": "s", "held_out": 0.0, "by": "case"},
        },
        "cases": cases,
        "held_out": list(held_out),
        "canaries": [
            {
                "id": f"k{n}",
                "prompt": "1+1?",
                "answer": f"{n + 3}",
                "expected": "fail",
                "grader": "judge",
                "why": "w",
            }
            for n in range(canaries)
        ],
        "anchors": [
            {"id": f"a{n}", "prompt": f"Anchor {n}?", "answer": f"so {n}", "selection": "random"}
            for n in range(anchors)
        ],
        "judge": spec if judge else None,
        "judge_prompt": judge_prompt if judge else None,
        "templates": dict(templates or {"baseline": {}, "candidate": {}}),
        "inputs": [],
    }
    return Plan.from_json(json.dumps(document))


def says(request: Request) -> str:
    """An answer that depends on the request alone; a vote that passes."""
    return VERDICT if request.role == "vote" else f"answer {request.name[:8]}"


def a_response(text: str = "hello") -> Response:
    """A completion."""
    body = {
        "model": "m",
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }
    return Response(status=200, body=json.dumps(body))


def a_name(text: str = "x") -> str:
    """A request's name."""
    return hashlib.sha256(text.encode()).hexdigest()


def a_stored(name: str = SHA, text: str = "hello") -> Stored:
    """What a store holds."""
    attempt = Attempt(started_ms=1_700_000_000_000, duration_ms=20, status=200)
    return Stored(response=a_response(text), timing=Timing(request=name, attempts=(attempt,)))


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer when nothing is ready: nothing waits.

    It stands still while another thread is at work on something, which takes
    real time and none of ours.
    """

    def __init__(self) -> None:
        super().__init__(_Jumping(self))
        self.now_s = 0.0
        self.is_another_thread_at_work: Callable[[], bool] = lambda: False

    def time(self) -> float:
        return self.now_s


class _Jumping(selectors.DefaultSelector):  # type: ignore[valid-type, misc]
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0.0 if timeout is not None else None)
        if not ready and timeout:
            if self._loop.is_another_thread_at_work():
                return super().select(None)
            self._loop.now_s += timeout
        return ready


def in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, in no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


def scripted(script: Script = says, **fields: Any) -> dict[str, ScriptedBackend]:
    """A backend for each endpoint, all on one script."""
    return {name: ScriptedBackend(script, model=f"m-{name}", **fields) for name in ENDPOINTS}


async def ask_all(
    plan: Plan,
    store: ResponseStore,
    backends: Mapping[str, Backend],
    *,
    stop: asyncio.Event | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    enough: Callable[[int], bool] = lambda _: False,
) -> Outcome:
    """One start of a run: canaries, then cases."""
    used = {name: backends[name] for name in plan.endpoint_names}
    async with Asking(
        plan,
        store=store,
        backends=used,
        stop=stop or asyncio.Event(),
        on_progress=on_progress,
        wall_ms=lambda: 1000,
    ) as asking:
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualLoop):
            loop.is_another_thread_at_work = lambda: not asking._writer.is_settled
        await asking.ask_canaries()
        return await asking.ask_cases(enough)


def run(plan: Plan, store: ResponseStore, backends: Mapping[str, Backend], **options: Any) -> Outcome:
    """The same in virtual time, from outside."""
    return in_virtual_time(ask_all(plan, store, backends, **options))


def evidence_of(plan: Plan, store: ResponseStore, outcome: Outcome) -> list[Evidence]:
    """The evidence, in plan order."""
    return [record for record, _ in run_records(plan, store, outcome.failures)]


def evidence_bytes(plan: Plan, store: ResponseStore, outcome: Outcome) -> bytes:
    """The bytes of the evidence file."""
    return b"".join(canonical_bytes(record) + b"\n" for record in evidence_of(plan, store, outcome))


def n_calls(backends: Mapping[str, ScriptedBackend]) -> int:
    """Calls that reached the backends."""
    return sum(backend.n_calls for backend in backends.values())
