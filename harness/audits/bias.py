"""Does the judge lean on what should not matter?"""

from harness.domain.report import BiasFinding


def audit_bias() -> BiasFinding:
    """Say that no bias was looked for: position, length and self-preference need their own votes."""
    return BiasFinding(status="not_audited", reasons=("the plan asks no votes that could show a bias",))
