"""Records to findings: were the graders, the judge and the backends fit for the purpose?"""

from harness.audits.bias import audit_bias, panel_bias
from harness.audits.canaries import audit_canaries
from harness.audits.completeness import count_completeness
from harness.audits.differential import audit_differential
from harness.audits.drift import Audited, audit_drift
from harness.audits.drift_evidence import compared_endpoints
from harness.audits.fitness import judge_fitness, panel_fitness
from harness.audits.history import audit_kept, history_alarms, judge_history
from harness.audits.human_agreement import audit_human_agreement
from harness.audits.human_scale import human_scale
from harness.audits.judge_verdicts import judge_verdicts
from harness.audits.repeatability import audit_repeatability
from harness.audits.routing import audit_routing

__all__ = [
    "Audited",
    "audit_bias",
    "audit_canaries",
    "audit_differential",
    "audit_drift",
    "audit_human_agreement",
    "audit_kept",
    "audit_repeatability",
    "audit_routing",
    "compared_endpoints",
    "count_completeness",
    "history_alarms",
    "human_scale",
    "judge_fitness",
    "judge_history",
    "judge_verdicts",
    "panel_bias",
    "panel_fitness",
]
