"""`harness init`, `check`, `freeze` and `schema`: everything before the first call."""

import json
import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from harness.cli.anchor_remarks import anchor_remarks
from harness.cli.judge_remarks import judge_remarks
from harness.cli.output import put, say
from harness.cli.planning import as_planned
from harness.cli.rules import GRADER_RULES, rules_of
from harness.cli.sequential import terms
from harness.domain.batches import asked_at_most
from harness.domain.canonical import digest
from harness.domain.errors import InputError
from harness.domain.plan import Lock, Plan, Templates, plan_digest
from harness.domain.specs import ArmSpecs
from harness.inputs.experiment import load_plan
from harness.inputs.lock import check_lock, lock_path, make_lock, read_lock, write_lock
from harness.inputs.spend import Spend, estimate_spend
from harness.report.schema import schemas
from harness.stats.estimability import NotEstimable
from harness.stats.power import minimum_detectable_effect

_DISCORDANCES = (0.05, 0.1, 0.2)


def init(*, directory: Path) -> int:
    """Write the template project into a folder that is empty or new."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InputError(f"{directory}: found something there, wanted an empty folder or none")
    with as_file(files("harness") / "template") as template:
        shutil.copytree(
            template, directory, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.py")
        )
    put(f"{directory}: a project, with its next commands in {directory / 'README.md'}")
    return 0


def load(experiment: Path) -> Plan:
    """Read an experiment, with all that the graders know of its checks and prompts."""
    return load_plan(experiment, rules=GRADER_RULES)


def audited_plan(plan: Plan) -> Plan:
    """Return what an audit asks: the same canaries and anchors, by the same names, and no case."""
    return plan.model_copy(update={"cases": (), "held_out": (), "moved": None})


def same_arm_plan(plan: Plan) -> Plan:
    """Return the A/A plan: the baseline in both arms, on the cases that are not held out.

    Raises:
        InputError: The baseline is not called, so it cannot be asked a second time.
    """
    baseline = plan.experiment.arm.baseline
    if baseline.backend == "recorded":
        raise InputError(
            "--aa: found recorded replies in arm.baseline, wanted an arm that can be asked twice"
        )
    arms = ArmSpecs(baseline=baseline, candidate=baseline)
    template, held_out = plan.templates.baseline, set(plan.held_out)
    return plan.model_copy(
        update={
            "experiment": plan.experiment.model_copy(update={"arm": arms}),
            "templates": Templates(baseline=template, candidate=template),
            "cases": tuple(case for case in plan.cases if case.id not in held_out),
            "held_out": (),
        }
    )


def matching_lock(experiment: Path, plan: Plan, *, wanted: bool) -> Lock | None:
    """Return the lock beside the experiment, once it matches.

    Raises:
        InputError: There is none, and it is wanted.
        Tampered: The plan is not the one that was frozen.
    """
    path = lock_path(experiment)
    if not path.exists():
        if wanted:
            raise InputError(f"{path}: is not there; `harness freeze {experiment}` writes it")
        return None
    lock = read_lock(path)
    check_lock(plan, lock, rules=rules_of(plan), harness_version=version("judge-harness"))
    return lock


def lock_experiment(experiment: Path) -> Lock:
    """Return the lock beside the experiment, written now where there was none.

    Raises:
        Tampered: There was one, and the plan is not the one that was frozen.
    """
    plan = as_planned(load(experiment), experiment=experiment, run=None)
    found = matching_lock(experiment, plan, wanted=False)
    if found is not None:
        say(f"{lock_path(experiment)}: was frozen before and still matches")
        return found
    lock = make_lock(
        plan,
        experiment=experiment.name,
        rules=rules_of(plan),
        harness_version=version("judge-harness"),
        frozen_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    write_lock(lock_path(experiment), lock, replace=False)
    return lock


def freeze(*, experiment: Path, key: Path | None, variable: str | None, as_json: bool) -> int:
    """Write the lock, or say that it is there and matches; with a key, sign it."""
    signing = None
    if key is not None or variable is not None:
        # Imported here: who does not sign does not pay for cryptography.
        from harness.report.keys import read_signing_key

        signing = read_signing_key(key, variable=variable, environ=os.environ)
    lock, path = lock_experiment(experiment), lock_path(experiment)
    result = {"lock": str(path), "plan_sha256": lock.plan_sha256, "frozen_at": lock.frozen_at}
    if signing is not None:
        from harness.cli.lock_signature import sign_lock

        now = datetime.now(UTC).isoformat(timespec="seconds")
        result["signature"] = str(sign_lock(path, lock, signing, signed_at=now))
    put(json.dumps(result, indent=2) if as_json else f"{path}: plan {lock.plan_sha256}, {lock.frozen_at}")
    return 0


def check(*, experiment: Path, as_json: bool) -> int:
    """Read everything and say what a run would come to."""
    plan = as_planned(load(experiment), experiment=experiment, run=None)
    lock = matching_lock(experiment, plan, wanted=False)
    found = _checked(plan, estimate_spend(asked_at_most(plan)), locked=lock is not None)
    put(json.dumps(found, indent=2) if as_json else _as_text(found))
    return 0


def _checked(plan: Plan, spend: Spend, *, locked: bool) -> dict[str, Any]:
    n_exploratory = len(plan.cases) - len(plan.held_out)
    return {
        "experiment": plan.experiment.name,
        "plan_sha256": plan_digest(plan),
        "locked": locked,
        "inputs": {item.path: item.sha256 for item in plan.inputs},
        "judge_sha256": digest(plan.judge) if plan.judge else None,
        "panel_sha256": {judge.name: digest(judge.spec) for judge in plan.judges} if plan.panel else None,
        "cases": {
            "all": len(plan.cases),
            "exploratory": n_exploratory,
            "held_out": len(plan.held_out),
            "clusters": len({case.group for case in plan.cases}),
        },
        "canaries": len(plan.canaries),
        "anchors": len(plan.anchors),
        "calls": {item.endpoint: item.n_calls for item in spend.endpoints} | {"all": spend.n_calls},
        "cost": {
            "at_least": spend.cost_at_least,
            "at_most": spend.cost_at_most,
            "currency": spend.currency,
            "method": spend.method,
        },
        "detectable": [] if plan.experiment.sequential else _detectable(plan, n_exploratory),
        "sequential": terms(plan),
        "remarks": _remarks(plan, os.environ),
    }


def _remarks(plan: Plan, environ: Mapping[str, str]) -> list[str]:
    """Return what is in order and will not do all the same."""
    remarks = []
    if len(plan.held_out) == len(plan.cases):
        remarks.append("every case is held out: no number can be shown before a look")
    if plan.held_out and plan.gold.split.similarity is None:
        remarks.append("near-duplicates on both sides of the split are not looked for: set split.similarity")
    remarks += anchor_remarks(plan)
    remarks += judge_remarks(plan)
    for name in plan.endpoint_names:
        variable = plan.endpoint(name).api_key_env
        if variable is not None and not environ.get(variable):
            remarks.append(f"{name}: the environment variable {variable} is not set; a run will want it")
    return remarks


def _detectable(plan: Plan, n_cases: int) -> list[dict[str, float | None]]:
    """Return the smallest difference that the exploratory cases can show, by discordance."""
    spec = plan.experiment.analysis
    rows: list[dict[str, float | None]] = []
    for discordance in _DISCORDANCES if n_cases else ():
        found = minimum_detectable_effect(
            n_cases=n_cases, discordance=discordance, alpha=spec.alpha, power=spec.power, test="midp"
        )
        effect = None if isinstance(found, NotEstimable) else found.difference
        rows.append({"discordance": discordance, "difference": effect, "margin": spec.margin})
    return rows


def _as_text(found: dict[str, Any]) -> str:
    cases, cost = found["cases"], found["cost"]
    lines = [
        f"{found['experiment']}: every input is in order; plan {found['plan_sha256']}"
        f" ({'locked' if found['locked'] else 'not locked'})",
        f"cases     {cases['all']}: {cases['exploratory']} exploratory, {cases['held_out']} held out, "
        f"{cases['clusters']} clusters",
        f"audited   {found['canaries']} canaries, {found['anchors']} anchors",
        "calls     " + ", ".join(f"{name} {n}" for name, n in found["calls"].items()),
        f"cost      {_money(cost['at_least'])} to {_money(cost['at_most'])} {cost['currency']}"
        f" ({cost['method']})",
    ]
    for row in found["detectable"]:
        effect = "none" if row["difference"] is None else f"{100 * row['difference']:.1f} points"
        lines.append(
            f"detects   {effect} if {row['discordance']:.0%} of the cases differ "
            f"(margin {100 * row['margin']:.1f} points)"
        )
    lines += [f"stops     {line}" for line in (found["sequential"] or {}).get("means", ())]
    lines += [f"remark    {remark}" for remark in found["remarks"]]
    lines.append("inputs")
    lines += [f"  {sha256[:16]}  {path}" for path, sha256 in found["inputs"].items()]
    return "\n".join(lines)


def _money(amount: float | None) -> str:
    return "unknown" if amount is None else f"{amount:.2f}"


def schema(*, directory: Path | None, name: str | None) -> int:
    """Print the schemas, or write one file a schema."""
    found = schemas()
    if name is not None and name not in found:
        raise InputError(f"schema: found {name!r}, wanted one of {', '.join(sorted(found))}")
    chosen = found if name is None else {name: found[name]}
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
        for each, text in chosen.items():
            (directory / f"{each}.schema.json").write_text(text, encoding="utf-8")
        put(f"{directory}: {len(chosen)} schemas")
    elif name is not None:
        put(chosen[name])
    else:
        put(json.dumps({each: json.loads(text) for each, text in chosen.items()}, indent=2))
    return 0
