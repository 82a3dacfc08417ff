"""Verdicts to pairs to estimates to a decision, for one side of the split."""

from harness.analysis.answerers import answerers
from harness.analysis.anytime import Anytime
from harness.analysis.decision import decide, decide_audit, integrity_gates
from harness.analysis.looks import decision_alone, past_the_budget
from harness.analysis.routing_policy import routing_notes
from harness.analysis.section import analyse
from harness.analysis.stopping import is_enough, sequential_block
from harness.domain.exit_codes import exit_code

__all__ = [
    "Anytime",
    "analyse",
    "answerers",
    "decide",
    "decide_audit",
    "decision_alone",
    "exit_code",
    "integrity_gates",
    "is_enough",
    "past_the_budget",
    "routing_notes",
    "sequential_block",
]
