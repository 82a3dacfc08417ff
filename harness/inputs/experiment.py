"""An experiment file and everything it names, resolved into one frozen plan."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from harness.domain.calls import RecordedReply
from harness.domain.cases import ARMS, Anchor, Canary
from harness.domain.errors import InputError
from harness.domain.files import read_text, text_file_digest
from harness.domain.plan import InputDigest, PanelJudge, Plan, Template, Templates
from harness.domain.specs import EndpointSpec, Experiment
from harness.inputs.anchors import read_anchors
from harness.inputs.coherence import Parts, endpoints, judged, refuse_incoherent
from harness.inputs.gold import Gold, read_gold
from harness.inputs.jsonl import read_jsonl
from harness.inputs.judge import Judge, read_judge
from harness.inputs.panel import merged_probes
from harness.inputs.rows import Rows
from harness.inputs.rules import GraderRules
from harness.inputs.sequential import refuse_unsound_stop
from harness.inputs.split import held_out_ids
from harness.inputs.toml import line_of, placed, read_toml


class _Folder(NamedTuple):
    """Where an experiment stands, and what it has read so far is named from."""

    experiment: Path

    def at(self, written: str, *key: str) -> Path:
        """Return the path that the experiment names under a key, relative to its folder."""
        path = PurePosixPath(written)
        if path.is_absolute() or "\\" in written or Path(written).is_absolute():
            place = placed(self.experiment, line_of(read_text(self.experiment), key))
            raise InputError(
                f"{place}: {'.'.join(key)}: found {written!r}, wanted a path from this file's folder, with /"
            )
        return self.experiment.parent / path

    def digest(self, path: Path) -> InputDigest:
        """Return the digest of a file under its path from the experiment's folder."""
        relative = path.relative_to(self.experiment.parent)
        return InputDigest(path=relative.as_posix(), sha256=text_file_digest(path))


def load_plan(path: Path, *, rules: GraderRules) -> Plan:
    """Read an experiment and everything it names.

    Nothing is sent, no key is looked for. Every file's digest is in the plan,
    under its path from the experiment's folder.

    Args:
        path: The experiment's TOML file.
        rules: What the graders know of checks and templates.

    Raises:
        InputError: Something in one of the files is wrong, or they do not fit
            together; the message says where, what was found and what was wanted.
    """
    experiment = read_toml(path, Experiment)
    folder = _Folder(path)
    gold = read_gold(folder.at(experiment.gold, "gold"), check_problem=rules.check_problem)
    judges = _judges(experiment, folder)
    anchors = _anchors(experiment, folder, judges=judges, gold=gold)
    templates, template_paths = _templates(experiment, folder)
    parts = Parts(
        path=path, experiment=experiment, gold=gold, judges=judges, anchors=anchors, templates=templates
    )
    refuse_incoherent(parts, rules=rules)
    paths = [path, *gold.paths, *(read for judge in judges for read in judge.paths), *template_paths]
    paths += [anchors.path] if anchors else []
    paths += _replies(experiment, folder)
    held_out = held_out_ids(gold.cases.records, gold.spec.split)
    refuse_unsound_stop(parts, held_out=held_out)
    planted = gold.canaries.records if gold.canaries else ()
    judge = judges[0] if experiment.judge else None
    named = zip(experiment.panel, judges if experiment.panel else (), strict=True)
    return Plan(
        experiment=experiment,
        gold=gold.spec,
        cases=gold.cases.records,
        held_out=tuple(case.id for case in gold.cases.records if case.id in held_out),
        canaries=(*planted, *_probes(parts, planted, held_out=held_out, rules=rules)),
        anchors=anchors.records if anchors else (),
        judge=judge.spec if judge else None,
        judge_prompt=judge.prompt if judge else None,
        panel=tuple(PanelJudge(name=seat.name, spec=read.spec, prompt=read.prompt) for seat, read in named),
        templates=templates,
        inputs=tuple(folder.digest(read) for read in dict.fromkeys(paths)),
    )


def _probes(
    parts: Parts, planted: Sequence[Canary], *, held_out: Collection[str], rules: GraderRules
) -> tuple[Canary, ...]:
    """Return the judge's built-in probes where the plan asks for them.

    They stand in the plan like any canary, so that they are frozen with it.
    """
    if not parts.experiment.gates.probes:
        return ()
    if not parts.judges:
        place = placed(parts.path, line_of(read_text(parts.path), ("gates", "probes")))
        raise InputError(f"{place}: gates.probes: found true and no [judge] to probe")
    graded = [case for case in judged(parts.gold.cases.records) if case.id not in held_out]
    anchors = parts.anchors.records if parts.anchors else ()
    probes = merged_probes(
        [
            (named, rules.judge_probes(judge.spec, cases=graded, anchors=anchors))
            for named, judge in parts.named_judges()
        ]
    )
    taken = {canary.id for canary in planted} & {probe.id for probe in probes}
    if taken:
        raise InputError(f"{parts.path}: canary {min(taken)!r} has the id of a built-in probe; rename it")
    return probes


def _judges(experiment: Experiment, folder: _Folder) -> tuple[Judge, ...]:
    if experiment.judge is not None:
        return (read_judge(folder.at(experiment.judge.spec, "judge", "spec")),)
    return tuple(read_judge(folder.at(seat.spec, "panel", "spec")) for seat in experiment.panel)


def _anchors(
    experiment: Experiment, folder: _Folder, *, judges: Sequence[Judge], gold: Gold
) -> Rows[Anchor] | None:
    if experiment.anchors is None:
        return None
    path = folder.at(experiment.anchors, "anchors")
    if not judges:
        place = placed(folder.experiment, line_of(read_text(folder.experiment), ("anchors",)))
        raise InputError(f"{place}: anchors: found a file and no [judge] to hold against it")
    case_ids = {case.id for case in gold.cases.records}
    return read_anchors(path, judges=[judge.spec for judge in judges], case_ids=case_ids)


def _templates(experiment: Experiment, folder: _Folder) -> tuple[Templates, list[Path]]:
    paths: list[Path] = []
    read: dict[str, Template] = {}
    for arm in ARMS:
        endpoint: EndpointSpec = getattr(experiment.arm, arm)
        prompt = None
        if endpoint.template is not None:
            paths.append(folder.at(endpoint.template, "arm", arm, "template"))
            prompt = read_text(paths[-1])
        read[arm] = Template(prompt=prompt, system=endpoint.system)
    return Templates(baseline=read["baseline"], candidate=read["candidate"]), paths


def _replies(experiment: Experiment, folder: _Folder) -> Iterator[Path]:
    """Yield the files of recorded replies, each read once through so that a bad line is told now."""
    for keys, endpoint in endpoints(experiment):
        if endpoint.replies is None:
            continue
        path = folder.at(endpoint.replies, *keys, "replies")
        for _ in read_jsonl(path, RecordedReply):
            pass
        yield path
