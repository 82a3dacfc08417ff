"""`harness power`: how many cases, or how small a difference, and what the calls come to."""

import json
import math
from typing import Any

from harness.cli.output import put
from harness.domain.errors import InputError
from harness.stats.estimability import NotEstimable
from harness.stats.planning import design_effect
from harness.stats.power import minimum_detectable_effect, sample_size

_DISCORDANCES = (0.05, 0.1, 0.2, 0.3)
_CASES = (50, 100, 200, 400, 800, 1600)


def power(
    *,
    cases: int | None,
    difference: float | None,
    discordance: float | None,
    alpha: float,
    power_: float,
    cluster_size: int,
    icc: float,
    answers: int,
    votes: int,
    as_json: bool,
) -> int:
    """Print one row a combination: cases, discordance, detectable difference, calls."""
    if difference is not None and cases is not None:
        raise InputError("power: give --cases or --difference, not both")
    if discordance is not None and difference is not None and difference > discordance:
        raise InputError(
            f"power: --difference {difference:g} cannot exceed --discordance {discordance:g}, "
            "the share of cases that differ at all"
        )
    if alpha >= power_:
        raise InputError(f"power: --power {power_:g} must be above --alpha {alpha:g}")
    effect = design_effect(cluster_sizes=[cluster_size], intracluster_correlation=icc)
    shares = (discordance,) if discordance is not None else _DISCORDANCES
    if difference is not None:
        rows = [_needed(difference, share, alpha, power_, effect) for share in shares if share >= difference]
    else:
        rows = [
            _detectable(n, share, alpha, power_, effect)
            for n in ((cases,) if cases else _CASES)
            for share in shares
        ]
    rows = [row | {"calls": _calls(row["cases"], answers, votes)} for row in rows]
    settings = {"alpha": alpha, "power": power_, "test": "mid-p McNemar", "design_effect": effect}
    put(json.dumps({"settings": settings, "rows": rows}, indent=2) if as_json else _table(settings, rows))
    return 0


def _needed(
    difference: float, discordance: float, alpha: float, power_: float, effect: float
) -> dict[str, Any]:
    found = sample_size(
        gain_rate=(discordance + difference) / 2,
        loss_rate=(discordance - difference) / 2,
        alpha=alpha,
        power=power_,
        test="midp",
    )
    return {
        "cases": None if isinstance(found, NotEstimable) else math.ceil(found.n_cases * effect),
        "discordance": discordance,
        "difference": difference,
        "reason": found.reason if isinstance(found, NotEstimable) else None,
    }


def _detectable(
    n_cases: int, discordance: float, alpha: float, power_: float, effect: float
) -> dict[str, Any]:
    found = minimum_detectable_effect(
        n_cases=max(1, int(n_cases / effect)), discordance=discordance, alpha=alpha, power=power_, test="midp"
    )
    return {
        "cases": n_cases,
        "discordance": discordance,
        "difference": None if isinstance(found, NotEstimable) else found.difference,
        "reason": found.reason if isinstance(found, NotEstimable) else None,
    }


def _calls(n_cases: int | None, answers: int, votes: int) -> int | None:
    return None if n_cases is None else n_cases * 2 * answers * (1 + votes)


def _table(settings: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    lines = [
        f"{settings['test']}, alpha {settings['alpha']:g}, power {settings['power']:g}, "
        f"design effect {settings['design_effect']:.2f}",
        "",
        f"{'cases':>8}  {'discordance':>11}  {'difference':>10}  {'calls':>9}",
    ]
    lines += [
        f"{_or_dash(row['cases'], 'd'):>8}  {row['discordance']:>11.0%}  "
        f"{_points(row['difference']):>10}  {_or_dash(row['calls'], 'd'):>9}"
        + (f"  {row['reason']}" if row["reason"] else "")
        for row in rows
    ]
    return "\n".join(lines)


def _or_dash(value: int | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _points(difference: float | None) -> str:
    return "-" if difference is None else f"{100 * difference:.1f} pts"
