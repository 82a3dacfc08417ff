"""Every number again, from the evidence, held against the report."""

import math
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from harness.cli.collector import collector_off
from harness.cli.run import report_of
from harness.cli.signed_run import RunDocuments
from harness.domain.canonical import strict_json
from harness.domain.manifest import Models
from harness.domain.verdicts import CallIdentity
from harness.graders.reading import read_run
from harness.report.document import report_bytes
from harness.report.inert import inert
from harness.report.verifying import Claim, broken, holds, unproven
from harness.runner.rebuild import Rebuild
from harness.store.evidence import read_evidence, read_timings
from harness.store.recount import Recount

# Two machines may round the last digits of a sum in two ways.
_SAME = 1e-9


def recompute_claims(run: Path, documents: RunDocuments) -> Iterator[Claim]:
    """Yield whether manifest and report follow from the evidence.

    Raises:
        Tampered: The evidence is not what the harness wrote.
        StoreError: The evidence contradicts the plan or itself.
    """
    plan, recount, rebuild = documents.plan, Recount(), Rebuild(documents.plan)
    records = rebuild.evidence(recount.evidence(read_evidence(run)))
    try:
        with collector_off():
            reading = read_run(plan, records, recount.timings(read_timings(run)))
    finally:
        if rebuild.problem is not None:
            yield broken("requests", rebuild.problem)
    if rebuild.problem is None:
        yield holds("requests", "plan and answers lead to every request that the evidence names")
    wrong = recount.contradictions(documents.manifest, models=returned_models(reading.identities))
    if wrong:
        yield broken("manifest", f"does not follow from the evidence: {wrong[0]}")
    else:
        yield holds("manifest", "its counts, times and models follow from evidence and timings")
    again = report_bytes(report_of(run, plan, reading))
    yield report_claim(report_bytes(documents.report), again, documents)


def returned_models(identities: Iterable[CallIdentity]) -> Models:
    """Return the model ids that every endpoint came back with, as a manifest lists them."""
    found: dict[str, set[str]] = {}
    for call in identities:
        if call.model is not None:
            found.setdefault(call.endpoint, set()).add(call.model)
    return tuple((endpoint, tuple(sorted(ids))) for endpoint, ids in sorted(found.items()))


def report_claim(was: bytes, now: bytes, documents: RunDocuments) -> Claim:
    """Return whether the report's bytes are those that come of making it again."""
    if was == now:
        return holds(
            "recompute", "every verdict, estimate and the decision follow from the evidence, byte by byte"
        )
    found = first_difference(strict_json(was), strict_json(now))
    if found is None:
        return holds(
            "recompute", "follows from the evidence to nine digits: this machine rounds in another way"
        )
    made_by, here = documents.report.provenance.harness_version, version("judge-harness")
    if made_by != here:
        return unproven(
            "recompute", f"made by version {made_by}, this is {here}, which comes to another result: {found}"
        )
    return broken("recompute", f"does not follow from the evidence: {found}")


def first_difference(was: object, now: object, place: str = "") -> str | None:
    """Return where two JSON values part, with both; null where they differ by no more than rounding."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        keys = sorted({*was, *now})
        return _first((was.get(key), now.get(key), f"{place}.{key}" if place else key) for key in keys)
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return _first(
            (old, new, f"{place}.{index}") for index, (old, new) in enumerate(zip(was, now, strict=True))
        )
    if was == now and isinstance(was, bool) == isinstance(now, bool):
        return None
    if _alike(was, now):
        return None
    told, found = inert(repr(was), limit=80), inert(repr(now), limit=80)
    return f"{inert(place)}: the report has {told}, the evidence gives {found}"


def _alike(was: object, now: object) -> bool:
    if not (isinstance(was, float) and isinstance(now, float)):
        return False
    return math.isclose(was, now, rel_tol=_SAME, abs_tol=_SAME / 1000)


def _first(pairs: Iterator[tuple[object, object, str]]) -> str | None:
    return next((found for pair in pairs if (found := first_difference(*pair)) is not None), None)
