"""Runs every known answer for counts of passes, planning, multiplicity and sequential evidence."""

import math

import numpy as np
import pytest
import reference
from scipy.special import ndtr

from harness.stats.betting import (
    fixed_bet_evidence,
    hedged_confidence_sequence,
    hoeffding_confidence_sequence,
)
from harness.stats.fay_lumbard import fay_lumbard_interval
from harness.stats.looks import group_sequential_constants, peeking_size
from harness.stats.many_arms import cochran_q
from harness.stats.mcnemar import (
    discordant_odds_ratio,
    mcnemar_exact,
    mcnemar_exact_one_sided,
    mcnemar_midp,
)
from harness.stats.mcnemar_unconditional import mcnemar_unconditional
from harness.stats.multiplicity import benjamini_yekutieli, graphical_procedure, holm
from harness.stats.paired_difference import (
    bonett_price_interval,
    newcombe_interval,
    pairing_efficiency,
    tango_interval,
    tango_noninferiority,
)
from harness.stats.planning import (
    connor_sample_size,
    miller_sample_size,
    normal_detectable_effect,
    retrodesign,
)
from harness.stats.population import break_even_share, poststratify
from harness.stats.power import mcnemar_power
from harness.stats.preferences import preference_model
from harness.stats.proportions import clopper_pearson_interval, jeffreys_interval, wilson_interval
from harness.stats.sequential import discordant_evidence


def counts_of(inputs):
    return {"gain": inputs["gain"], "loss": inputs["loss"]}


def cells_of(inputs):
    return {cell: inputs[cell] for cell in ("both", "gain", "loss", "neither")}


def limits(interval):
    return {"lower": interval.low, "upper": interval.high}


def paired_limits(method):
    return lambda i: limits(method(**counts_of(i), n_cases=i["n"], confidence_level=i["conf"]))


def share_limits(method):
    return lambda i: limits(method(count=i["x"], n_cases=i["n"], confidence_level=i["conf"]))


def fay_lumbard(i):
    interval = fay_lumbard_interval(**counts_of(i), n_cases=i["n"], confidence_level=i["conf"])
    return limits(interval) | {"p_compatible": mcnemar_exact(**counts_of(i)).pvalue}


def odds_ratio(i):
    ratio = discordant_odds_ratio(**counts_of(i), confidence_level=0.95)
    return limits(ratio.interval) | {"or": ratio.estimate}


def unconditional(i):
    everywhere, nearby = (
        mcnemar_unconditional(**counts_of(i), n_cases=i["n"], gamma=gamma).pvalue for gamma in (0.0, 1e-4)
    )
    return {"p_gamma0": everywhere, "p_gamma1e4": nearby}


def noninferiority(i):
    cells = cells_of(i)
    test = tango_noninferiority(**counts_of(i), n_cases=sum(cells.values()), margin=i["margin"])
    return {"z": test.zscore, "p_one_sided": test.pvalue}


def sensitivity_and_specificity(method):
    def run(i):
        def one(count, n_cases):
            interval = method(count=count, n_cases=n_cases, confidence_level=0.95)
            return limits(interval) | {"est": count / n_cases}

        sens, spec = one(i["tp"], i["tp"] + i["fn"]), one(i["tn"], i["tn"] + i["fp"])
        return {"sens": sens, "spec": spec, "youden": sens["est"] + spec["est"] - 1}

    return run


def both_powers(prefix, rates_of):
    def run(i):
        gain_rate, loss_rate = rates_of(i)
        return {
            f"{prefix}_{test}": mcnemar_power(
                n_cases=i["n"], gain_rate=gain_rate, loss_rate=loss_rate, alpha=i["alpha"], test=test
            )
            for test in ("exact", "midp")
        }

    return run


def rates(i):
    return i["p_gain"], i["p_loss"]


def exact_power(i):
    return {"power": both_powers("power", rates)(i)["power_exact"]}


def connor(i):
    n = connor_sample_size(gain_rate=i["p_gain"], loss_rate=i["p_loss"], alpha=i["alpha"], power=i["power"])
    return {"n": n}


def miller(i):
    n = miller_sample_size(
        difference=i["delta"],
        variance_between=i.get("omega2", i.get("var_d")),
        variance_baseline=i.get("sigma2_a", 0),
        variance_candidate=i.get("sigma2_b", 0),
        n_repeats=i.get("k", 1),
        alpha=i.get("alpha", 0.05),
        power=i.get("power", 0.8),
    )
    return {"n": n, "n_rounded": round(n)}


def detectable_points(i):
    effect = normal_detectable_effect(n_cases=i["n"], variance=i["var_d"], alpha=0.05, power=0.8)
    return {"mde_points": 100 * effect}


def retrospect(i):
    design = retrodesign(true_effect=i["true_effect"], standard_error=i["se"], alpha=i["alpha"])
    return {"power": design.power, "type_s": design.type_s, "exaggeration": design.exaggeration}


def graph(i):
    test = graphical_procedure(
        pvalues=i["p"], weights=i["weights"], transitions=i["transition"], alpha=i["alpha"]
    )
    return {"rejected": test.rejected.tolist(), "adjusted": test.adjusted.tolist()}


def mixture(i):
    uniform, five = (discordant_evidence(**counts_of(i), concentration=a) for a in (1.0, 5.0))
    return {
        "e_uniform": math.exp(uniform.log_evalue),
        "e_beta5": math.exp(five.log_evalue),
        "p_anytime_uniform": uniform.pvalue,
    }


def fixed_bet(i):
    result = fixed_bet_evidence(**counts_of(i), bet=i["lambda"])
    return {side: math.exp(getattr(result, side).log_evalue) for side in ("one_sided", "two_sided")}


def sequence_limits(method):
    return lambda i: limits(method(i["d"], confidence_level=1 - i["alpha"]))


def looks(i):
    size = peeking_size(n_looks=i["looks"], alpha_each=i["alpha_each"])
    return {"type1": size, "published": size}


def davidson(i):
    names = ["m1", "m2", "m3"]
    rows = []
    for (first, second), won, lost, tied in zip(
        i["pairs"], i["wins_first"], i["wins_second"], i["ties"], strict=True
    ):
        rows += [(names.index(first), names.index(second), sign) for sign in [1] * won + [-1] * lost]
        rows += [(names.index(first), names.index(second), 0)] * tied
    first, second, outcomes = np.array(rows).T
    model = preference_model(
        first=first,
        second=second,
        outcomes=outcomes,
        clusters=None,
        n_arms=3,
        reference=2,
        confidence_level=0.95,
    )
    abilities = {name: ability.log_ability for name, ability in zip(names, model.abilities, strict=True)}
    return abilities | {"log_nu": model.log_tie}


def cochran(i):
    test = cochran_q(i["x"])
    return {"q": test.statistic, "df": test.df, "p": test.pvalue}


def poststratified(i):
    if "diff" in i:
        return {"w_first": break_even_share(first=i["diff"][0], second=i["diff"][1])}
    if "s2_d" in i:
        return {"se": [strata(i, weights).standard_error for weights in i["weights"]]}
    rates_by_arm = {
        arm: strata(i | {"s2_d": [0.2, 0.2], "n": [50, 50]}, i["weights"], i[arm]).difference
        for arm in ("old", "new")
    }
    return rates_by_arm | {"diff": rates_by_arm["new"] - rates_by_arm["old"]}


def strata(i, weights, means=(0.0, 0.0)):
    return poststratify(
        means=means,
        standard_errors=np.sqrt(np.array(i["s2_d"]) / i["n"]),
        dfs=np.array(i["n"]) - 1,
        n_cases=i["n"],
        target_weights=weights,
        confidence_level=0.95,
    )


def standard_errors(i):
    both = i["a_correct"] - i["loss"]
    neither = i["n"] - both - i["gain"] - i["loss"]
    pairing = pairing_efficiency(both=both, gain=i["gain"], loss=i["loss"], neither=neither)
    z = (i["gain"] - i["loss"]) / i["n"] / pairing.standard_error_unpaired
    return {
        "se_a": binomial_error(i["a_correct"], i["n"]),
        "se_b": binomial_error(i["b_correct"], i["n"]),
        "se_unpaired": pairing.standard_error_unpaired,
        "se_paired": pairing.standard_error_paired,
        "ratio": math.sqrt(pairing.variance_ratio),
        "z_unpaired": z,
        "p_unpaired": 2 * float(ndtr(-abs(z))),
    }


def binomial_error(count, n):
    return math.sqrt(count / n * (1 - count / n) / n)


def write_up(i):
    return population_truth(i) if "t_a" in i else pairing(i)


def pairing(i):
    cells = cells_of(i)
    found = pairing_efficiency(**cells)
    n = sum(cells.values())
    return {
        "rho": found.correlation,
        "se_paired": found.standard_error_paired,
        "se_unpaired": found.standard_error_unpaired,
        "se_unpaired_a_only": math.sqrt(2) * binomial_error(i["both"] + i["loss"], n),
        "variance_ratio": found.variance_ratio,
        "share_discarded": found.share_discarded,
    }


def population_truth(i):
    """Integrate the write-up's generator over easiness: pass when easiness + noise exceeds 1 - bar."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    easiness, weights = (nodes + 1) / 2, weights / 2
    p_a, p_b = (ndtr((easiness - 1 + i[bar]) / i["noise"]) for bar in ("t_a", "t_b"))
    gain, loss = float(weights @ (p_b * (1 - p_a))), float(weights @ (p_a * (1 - p_b)))
    return {
        "p_a": float(weights @ p_a),
        "p_b": float(weights @ p_b),
        "delta": gain - loss,
        "p_gain": gain,
        "p_loss": loss,
        "var_d": gain + loss - (gain - loss) ** 2,
    }


METHODS = {
    "betting_cs": sequence_limits(hedged_confidence_sequence),
    "ci_bonett_price": paired_limits(bonett_price_interval),
    "ci_clopper_pearson": share_limits(clopper_pearson_interval),
    "ci_exact_dp": fay_lumbard,
    "ci_jeffreys": share_limits(jeffreys_interval),
    "ci_newcombe10": lambda i: limits(newcombe_interval(**cells_of(i), confidence_level=i["conf"])),
    "ci_tango": paired_limits(tango_interval),
    "ci_wilson": share_limits(wilson_interval),
    "cochran_q": cochran,
    "davidson_ties": davidson,
    "e_value_fixed_bet": fixed_bet,
    "e_value_mixture": mixture,
    "graphical_gatekeeping": graph,
    "group_sequential": lambda i: group_sequential_constants(n_looks=i["looks"], alpha=i["alpha"])._asdict(),
    "hoeffding_cs": sequence_limits(hoeffding_confidence_sequence),
    "mcnemar_exact": lambda i: {"p": mcnemar_exact(**counts_of(i)).pvalue},
    "mcnemar_exact_rational": lambda i: {
        "p": mcnemar_exact(**counts_of(i)).pvalue,
        "seed_printed": round(mcnemar_exact(**counts_of(i)).pvalue, 2),
    },
    "mcnemar_midp": lambda i: {"p": mcnemar_midp(**counts_of(i)).pvalue},
    "mcnemar_one_sided": lambda i: {
        "p": mcnemar_exact_one_sided(**counts_of(i), alternative="greater").pvalue
    },
    "mcnemar_or_ci": odds_ratio,
    "mcnemar_uncond_enumeration": unconditional,
    "mde": detectable_points,
    "noninferiority_tango": noninferiority,
    "p_adjust_BY": lambda i: {"adjusted": benjamini_yekutieli(i["p"]).tolist()},
    "p_adjust_holm": lambda i: {"adjusted": holm(i["p"]).tolist()},
    "peeking_inflation": looks,
    "poststratify": poststratified,
    "power_mcnemar_exact": exact_power,
    "power_mcnemar_midp": both_powers("power", rates),
    "retrodesign": retrospect,
    "sample_size_miller": miller,
    "seed2": standard_errors,
    "seed4": write_up,
    "sens_spec_exact": sensitivity_and_specificity(clopper_pearson_interval),
    "sens_spec_wilson": sensitivity_and_specificity(wilson_interval),
    "size_mcnemar": both_powers("size", lambda i: (i["pd"] / 2, i["pd"] / 2)),
    "ss_connor": connor,
}


@pytest.mark.parametrize("vector", reference.parameters(METHODS))
def test_the_method_gives_the_known_answer(vector):
    reference.check(vector, METHODS[vector.family])


def test_every_family_named_as_binary_has_its_method_here():
    assert set(METHODS) == reference.BINARY


def test_every_family_of_the_file_is_run_or_excused_by_name_and_in_one_place_only():
    families = [vector.family for vector in reference.all_vectors()]
    places = [reference.BINARY, reference.MEANS, frozenset(reference.NOT_OFFERED)]

    assert len(families) == 179
    assert {sum(family in place for place in places) for family in families} == {1}
    assert frozenset().union(*places) == set(families)
