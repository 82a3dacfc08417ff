"""Plans with a panel of judges, asked in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from runs import an_endpoint_text, evidence_of, run

from harness.backends.scripted import Script, ScriptedBackend
from harness.domain.cases import Anchor
from harness.domain.manifest import Reading
from harness.domain.plan import PanelJudge, Plan
from harness.domain.specs import EndpointSpec, JudgeSpec, PanelUse
from harness.graders.reading import read_run
from harness.store.memory import MemoryStore

Changes = Mapping[str, Any]


def as_panel(
    plan: Plan,
    *names: str,
    specs: Mapping[str, Changes] | None = None,
    endpoints: Mapping[str, Changes] | None = None,
    anchors: Sequence[Anchor] | None = None,
) -> Plan:
    """The plan with these judges in place of its one; ``specs`` and ``endpoints`` change single ones."""
    assert plan.judge is not None
    assert plan.judge_prompt is not None
    uses, judges = [], []
    for name in names:
        spec = JudgeSpec(**{**dict(plan.judge), **(specs or {}).get(name, {})})
        written = an_endpoint_text(name) | (endpoints or {}).get(name, {})
        uses.append(PanelUse(name=name, spec=f"judges/{name}", endpoint=EndpointSpec(**written)))
        judges.append(PanelJudge(name=name, spec=spec, prompt=plan.judge_prompt))
    experiment = plan.experiment.model_copy(update={"judge": None, "panel": tuple(uses)})
    update = {"experiment": experiment, "judge": None, "judge_prompt": None, "panel": tuple(judges)}
    return plan.model_copy(update=update | ({} if anchors is None else {"anchors": tuple(anchors)}))


def asked(plan: Plan, script: Script) -> Reading:
    """The whole run of a plan, every endpoint on one script, read."""
    backends = {name: ScriptedBackend(script, model=f"m-{name}") for name in plan.endpoint_names}
    store = MemoryStore()
    outcome = run(plan, store, backends)
    return read_run(plan, evidence_of(plan, store, outcome), ())
