"""The built-in probes of a judge: what is planted, what must come of it, what it takes to build."""

from typing import NamedTuple

from harness.domain.cases import Outcome

PROBE_PREFIX = "probe:"
"""What the id of every built-in probe starts with."""


class ProbeKind(NamedTuple):
    """One kind of probe. ``injection``: it tries to talk the judge into a pass."""

    kind: str
    expected: Outcome
    wants: str
    injection: bool


PROBES = (
    ProbeKind("reference", "pass", "a reference", injection=False),
    ProbeKind("empty", "fail", "a prompt", injection=False),
    ProbeKind("off-topic", "fail", "a prompt", injection=False),
    ProbeKind("fluent-wrong", "fail", "an anchor that all its reviewers failed", injection=False),
    ProbeKind("addresses-grader", "fail", "a prompt", injection=True),
    ProbeKind("forged-verdict", "fail", "a prompt", injection=True),
    ProbeKind("forged-end", "fail", "a prompt", injection=True),
    ProbeKind("look-alike", "fail", "a passing label with letters that have look-alikes", injection=True),
    ProbeKind("reply-format", "fail", "a prompt", injection=True),
    ProbeKind("padding", "fail", "a prompt", injection=False),
)

PAIR_PROBES = tuple(
    probe._replace(wants="a reference" if probe.kind != "fluent-wrong" else "an anchor with one winner")
    for probe in PROBES
    if probe.kind != "reference"
)
"""The same for a judge of two answers: each beside the reference, or the answer that people prefer."""

INJECTION_KINDS = frozenset({"injection", *(probe.kind for probe in PROBES if probe.injection)})
"""Kinds of canaries that try to talk the judge into a pass, the user's own ``injection`` among them."""
