"""What a decision is to the shell that asked for it."""

from harness.domain.report import Decision


def exit_code(decision: Decision) -> int:
    """Return the exit code: 1 for a gate that failed, 3 where it could not be measured."""
    failed = {gate.name for gate in decision.gates if gate.status == "fail"}
    if decision.basis == "none" and not failed:
        # An audit alone is about the judge: one that nobody showed to be fit is no success.
        if any(gate.name == "judge" and gate.status == "not_audited" for gate in decision.gates):
            return 3
        return 0 if any(gate.status == "pass" for gate in decision.gates) else 3
    if failed - {"completeness"}:
        return 1
    if failed or decision.verdict in ("inconclusive", "invalid"):
        return 3
    return 0
