"""`harness compare --unpaired`: two published rates on cases that cannot be paired."""

import json
import re

from harness.cli.output import put
from harness.domain.errors import InputError
from harness.stats.estimability import NotEstimable
from harness.stats.proportions import newcombe_independent_interval, unpaired_difference

_RATE = re.compile(r"([0-9]{1,15})/([0-9]{1,15})", re.ASCII)
_UNPAIRED = "unpaired: on the same cases, compare the results case by case instead; far fewer are needed"


def compare_unpaired(*, baseline: str, candidate: str, alpha: float, as_json: bool) -> int:
    """Print the difference of two rates such as 62/100 and 70/120, labelled unpaired."""
    (passes_b, cases_b), (passes_c, cases_c) = _rate(baseline), _rate(candidate)
    counts = {
        "baseline_passes": passes_b,
        "baseline_cases": cases_b,
        "candidate_passes": passes_c,
        "candidate_cases": cases_c,
    }
    limits = newcombe_independent_interval(**counts, confidence_level=1 - alpha)
    test = unpaired_difference(**counts)
    difference = passes_c / cases_c - passes_b / cases_b
    pvalue, reason = (None, test.reason) if isinstance(test, NotEstimable) else (test.pvalue, None)
    if as_json:
        found = {
            **counts,
            "difference": difference,
            "interval": limits._asdict(),
            "pvalue": pvalue,
            "reason": reason,
        }
        put(json.dumps(found | {"paired": False, "note": _UNPAIRED}, indent=2))
        return 0
    put(
        f"unpaired difference {100 * difference:+.1f} points, {1 - alpha:.0%} interval "
        f"[{100 * limits.low:+.1f}, {100 * limits.high:+.1f}] (Newcombe, independent), "
        f"n = {cases_b} and {cases_c} cases\n"
        + (f"score test p = {pvalue:.2g}\n" if pvalue is not None else f"no score test: {reason}\n")
        + _UNPAIRED
    )
    return 0


def _rate(text: str) -> tuple[int, int]:
    found = _RATE.fullmatch(text)
    if found is None:
        raise InputError(f"compare --unpaired: found {text!r}, wanted passes out of cases such as 62/100")
    passes, cases = int(found[1]), int(found[2])
    if cases == 0 or passes > cases:
        raise InputError(
            f"compare --unpaired: {text}: wanted at least one case and no more passes than cases"
        )
    return passes, cases
