"""How numbers are written: points, shares, p-values, intervals. One place for all outputs."""

from collections.abc import Iterable, Mapping

from harness.domain.blocks import IntervalBlock, Rate

_METHODS: Mapping[str, str] = {
    "tango": "Tango score",
    "tango_binomial": "Tango score, exact binomial",
    "paired_t": "paired t",
    "cr2_satterthwaite": "CR2, Satterthwaite df",
    "plus_two_cr2": "plus-two CR2",
    "poststratified_t": "post-stratified t",
    "weighted_t": "weighted t",
    "weighted_plus_two": "weighted plus-two",
    "wilson": "Wilson",
    "clopper_pearson": "Clopper-Pearson",
    "jeffreys": "Jeffreys",
    "newcombe": "Newcombe",
    "bonett_price": "Bonett-Price",
    "fay_lumbard": "Fay-Lumbard",
    "cohen_kappa": "Fleiss-Cohen-Everitt",
    "gwet_ac1": "Gwet",
    "percentile_bootstrap": "percentile bootstrap",
    "beta_mixture_confidence_sequence": "Beta-mixture confidence sequence",
    "one_sided_beta_mixture_confidence_sequence": "one-sided Beta-mixture confidence sequences",
    "percentile_bootstrap_resampled": "percentile bootstrap",
}
_TESTS: Mapping[str, str] = {
    "tango": "McNemar mid-p",
    "tango_binomial": "McNemar mid-p",
    "paired_t": "paired t test",
    "cr2_satterthwaite": "CR2 t test",
    "plus_two_cr2": "plus-two CR2 test",
    "beta_mixture_confidence_sequence": "1 / e-value",
}
_SMALL_SET = 100
_LARGE_SET = 10_000
_MOST_DIGITS = 6
_DUST = 1e-9
_SMALLEST_PVALUE = 0.0001


def method_name(method: str) -> str:
    """Return the name of an interval's method as a reader knows it."""
    plain = method.removesuffix("_score")
    name = _METHODS.get(plain, plain.replace("_", " "))
    return name if plain == method else f"{name}, score"


def name_of_test(method: str) -> str:
    """Return the name of the test that belongs to an interval's method."""
    return _TESTS.get(method.removesuffix("_score"), method_name(method))


def bracketed(interval: IntervalBlock | None, *, digits: int = 3) -> str:
    """Return an interval as it follows its estimate, in brackets; nothing where there is none."""
    if interval is None:
        return ""
    limits = f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"
    return f" ({level(interval.confidence_level)} interval {limits}, {method_name(interval.method)})"


def count(number: int) -> str:
    """Return a count with its thousands apart: ``12,500``."""
    return f"{number:,}"


def plural(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun: ``1 case``, ``250 cases``; ``nouns`` where an s does not do."""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {nouns or noun + 's'}"


def out_of(part: int, whole: int) -> str:
    """Return a count out of a count: ``44 of 50``."""
    return f"{count(part)} of {count(whole)}"


def digits(shares: Iterable[float], *, n: int, apart: Iterable[float] = (0.0,)) -> int:
    """Return how many decimals percentages deserve.

    None below 100 cases, one below 10,000, else two: one case more or less
    moves a share of n by 100/n points. Decimals are added only while rounding
    would carry a number onto, or over, one of the values it is read against.

    Args:
        shares: The numbers that are shown side by side, as shares.
        n: Cases behind them.
        apart: Values, as shares, whose side must stay visible: 0, the margin.
    """
    decimals = 0 if n < _SMALL_SET else 1 if n < _LARGE_SET else 2
    numbers, marks = [100 * share for share in shares], [100 * mark for mark in apart]
    while decimals < _MOST_DIGITS and not all(
        _side(round(number, decimals), round(mark, _MOST_DIGITS)) == _side(number, mark)
        for number in numbers
        for mark in marks
    ):
        decimals += 1
    return decimals


def points(share: float, decimals: int) -> str:
    """Return a difference of shares in percentage points, signed: ``+5.2``."""
    text = f"{100 * share:+.{decimals}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def percent(share: float, *, n: int) -> str:
    """Return a share in percent: ``72.4%``. Neither 0% nor 100% unless it is."""
    return f"{100 * share:.{digits([share], n=n, apart=(0.0, 1.0))}f}%"


def level(share: float) -> str:
    """Return a confidence level in percent, never rounded up to 100."""
    for decimals in range(_MOST_DIGITS):
        text = f"{100 * share:.{decimals}f}"
        if float(text) < 100 and abs(float(text) - 100 * share) < 0.05:
            return f"{text}%"
    return f"{100 * share}%"


def pvalue(value: float, *, alpha: float | None = None, is_bound: bool = False) -> str:
    """Return a p-value with two digits: ``p = 0.0031``, ``p < 0.0001``.

    Args:
        value: The p-value, above 0 and at most 1.
        alpha: Where given, digits are added until rounding leaves the p-value on its side of it.
        is_bound: Whether the p-value is only known to be no larger than this.
    """
    if value < min(_SMALLEST_PVALUE, alpha or _SMALLEST_PVALUE):
        return f"p < {_SMALLEST_PVALUE if alpha is None else min(alpha, _SMALLEST_PVALUE):g}"
    sign = "≤" if is_bound else "="
    if 0.995 <= value < 1:
        return "p > 0.99"
    for extra in range(_MOST_DIGITS):
        text = f"{value:.{2 + extra}f}" if value >= 0.1 else f"{value:#.{2 + extra}g}"
        if alpha is None or _side(float(text), alpha) == _side(value, alpha):
            return f"p {sign} {text}"
    return f"p {sign} {value}"


def rate(found: Rate) -> str:
    """Return a rate with its counts, its interval and its method, or why it has none."""
    if found.rate is None:
        return f"not estimable: {found.reason or 'nothing to count'}"
    text = f"{percent(found.rate, n=found.of)}, {count(found.n)} of {count(found.of)}"
    return f"{text} ({share_interval(found.interval, n=found.of)})" if found.interval else text


def share_interval(interval: IntervalBlock, *, n: int) -> str:
    """Return the interval of a share: ``95% interval 76% to 94%, Wilson``."""
    low, high = percent(interval.low, n=n), percent(interval.high, n=n)
    return f"{level(interval.confidence_level)} interval {low} to {high}, {method_name(interval.method)}"


def tally(reasons: Iterable[tuple[str, int]]) -> str:
    """Return counted reasons: ``truncated 2, failed 1``; ``none`` where there are none."""
    return ", ".join(f"{reason.replace('_', ' ')} {count(number)}" for reason, number in reasons) or "none"


def plain_number(value: float, *, decimals: int = 2) -> str:
    """Return a number that is no share: a kappa, degrees of freedom."""
    return f"{value:.{0 if value == round(value) else decimals}f}"


def _side(number: float, mark: float) -> int:
    """Return on which side of the mark a number lies; floating dust is on it."""
    if abs(number - mark) < _DUST:
        return 0
    return 1 if number > mark else -1
