"""Reads the known answers of tests/data and compares results with them.

Each family of vectors belongs to one test module, or is not offered, with the reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FILE = Path(__file__).parent.parent / "data" / "reference_vectors.json"

# fmt: off
BINARY = frozenset(
    {
        "betting_cs", "ci_bonett_price", "ci_clopper_pearson", "ci_exact_dp", "ci_jeffreys",
        "ci_newcombe10", "ci_tango", "ci_wilson", "cochran_q", "davidson_ties", "e_value_fixed_bet",
        "e_value_mixture", "graphical_gatekeeping", "group_sequential", "hoeffding_cs",
        "mcnemar_exact", "mcnemar_exact_rational", "mcnemar_midp", "mcnemar_one_sided",
        "mcnemar_or_ci", "mcnemar_uncond_enumeration", "mde", "noninferiority_tango", "p_adjust_BY",
        "p_adjust_holm", "peeking_inflation", "poststratify", "power_mcnemar_exact",
        "power_mcnemar_midp", "retrodesign", "sample_size_miller", "seed2", "seed4",
        "sens_spec_exact", "sens_spec_wilson", "size_mcnemar", "ss_connor",
    }
)

MEANS = frozenset(
    {
        "bootstrap_exact", "bootstrap_exact_binary", "cohen_kappa", "edge", "ewma", "fleiss_kappa",
        "flip_rate", "gwet_ac1", "gwet_ac1_multi", "icc", "judge_report_ci", "krippendorff_alpha",
        "length_controlled", "majority_probability", "monte_carlo_p", "paired_t", "position_swap", "ppi_mean",
        "rogan_gladen", "rogan_gladen_lang_reiczigel", "seed_code", "sign_flip_exact",
        "strata_three_numbers", "tost_paired", "variance_components", "weighted_kappa",
        "wild_cluster_bootstrap",
    }
)
# fmt: on

NOT_OFFERED = {
    "bootstrap_abc": "the analytic BCa limits inherit what makes BCa under-cover on pass/fail data",
    "ci_agresti_min": "a Wald interval with half a case added; Tango, Newcombe and Bonett-Price serve",
    "ci_wald": "it has zero width when no case is discordant, which is no knowledge",
    "ladder": "for public leaderboards; held-out looks are counted in a ledger instead",
    "mcnemar_chi2": "chi-square approximations are not offered as a test; the exact tails cost no more",
    "mcnemar_chi2_cc": "chi-square approximations are not offered as a test; the exact tails cost no more",
    "p_adjust_bonferroni": "Holm rejects whatever it rejects, under the same assumptions",
    "recall": "a grader's metric of one case, not a statistic of a comparison",
    "ss_miettinen_normal": "printed in the file as a contrast to Connor's formula, which is offered",
}


class Vector(NamedTuple):
    """One known answer."""

    id: str
    inputs: Mapping[str, Any]
    expected: Mapping[str, Any]
    tolerance: float

    @property
    def family(self) -> str:
        return self.id.split("/")[0]


Method = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def all_vectors() -> list[Vector]:
    """Return every vector of the file, in its order."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return [Vector(row["id"], row["inputs"], row["expected"], row["tolerance"]) for row in rows]


def parameters(families: Iterable[str]) -> list[Any]:
    """Return one pytest parameter for each vector of the families, named by its id."""
    wanted = set(families)
    return [pytest.param(vector, id=vector.id) for vector in all_vectors() if vector.family in wanted]


def check(vector: Vector, method: Method) -> None:
    """Run a method on a vector's inputs and compare every expected value."""
    actual = method(vector.inputs)
    for key, expected in vector.expected.items():
        assert key in actual, f"{vector.id}: the test's method returns no {key}"
        _compare(actual[key], expected, vector.tolerance, f"{vector.id}: {key}")


def _compare(actual: Any, expected: Any, tolerance: float, where: str) -> None:
    if isinstance(expected, Mapping):
        for key, value in expected.items():
            _compare(actual[key], value, tolerance, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), f"{where}: {len(actual)} values, expected {len(expected)}"
        for index, (found, wanted) in enumerate(zip(actual, expected, strict=True)):
            _compare(found, wanted, tolerance, f"{where}[{index}]")
    else:
        _compare_one(actual, expected, tolerance, where)


def _compare_one(actual: Any, expected: Any, tolerance: float, where: str) -> None:
    if expected is None or isinstance(expected, bool):
        assert actual is expected or actual == expected, f"{where}: {actual!r}, expected {expected!r}"
        return
    wanted = math.inf if expected == "Infinity" else float(expected)
    if math.isinf(wanted):
        assert actual == wanted, f"{where}: {actual!r}, expected {wanted!r}"
        return
    allowed = tolerance * max(1.0, abs(wanted))
    # A last bit is forgiven where the file asks for equality of printed decimals.
    allowed += 4 * math.ulp(wanted)
    assert abs(actual - wanted) <= allowed, f"{where}: {actual!r}, expected {wanted!r} within {allowed:.3g}"
