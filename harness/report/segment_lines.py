"""Who answered when, and whether the difference hangs on it, in words."""

from collections.abc import Iterator

from harness.domain.blocks import IntervalBlock
from harness.domain.case_blocks import HomogeneityBlock, SegmentsBlock
from harness.domain.findings import RoutingFinding, RoutingRow
from harness.report import words

_MOST_ROWS = 20


def segment_lines(block: SegmentsBlock) -> Iterator[str]:
    """Yield what straddles, the combined difference beside the pooled one, and the test."""
    if not block.segments and not (block.n_straddling or block.n_unknown):
        return
    yield (
        f"{words.plural(len(block.segments), 'segment')} by who answered; "
        f"{words.plural(block.n_straddling, 'case')} in more than one, "
        f"{words.plural(block.n_unknown, 'pair')} of answers in none, since nobody knows who gave them"
    )
    combined = block.combined
    if combined is not None and combined.difference is not None:
        limits = (
            f"no interval: {combined.reason}" if combined.interval is None else _limits(combined.interval)
        )
        pooled = "not estimable" if block.pooled is None else f"{block.pooled:+.4f}"
        yield (
            f"all segments combined {combined.difference:+.4f} ({limits}), "
            f"{words.plural(combined.n_pairs, 'pair')} of answers; pooled, whoever answered: {pooled}"
        )
    if block.homogeneity is not None:
        yield _test(block.homogeneity)


def _limits(interval: IntervalBlock) -> str:
    level, method = words.level(interval.confidence_level), words.method_name(interval.method)
    return f"{level} interval {interval.low:+.4f} to {interval.high:+.4f}, {method}"


def _test(test: HomogeneityBlock) -> str:
    if test.pvalue is None or test.statistic is None:
        return f"whether the segments are alike: not estimable: {test.reason}"
    small = f", {words.plural(test.n_left_out, 'small one')} left out" if test.n_left_out else ""
    return (
        f"{test.n_segments} segments alike{small}: Cochran's Q {test.statistic:.2f}, "
        f"{words.pvalue(test.pvalue)} by permutation"
    )


def routing_time_lines(finding: RoutingFinding) -> Iterator[str]:
    """Yield one line an identity where an endpoint has several: its calls by tenths of the run."""
    for row in finding.by_time[:_MOST_ROWS]:
        tenths = " ".join(words.count(n) for n in row.by_tenth)
        yield f"{row.endpoint} by tenths of the run: {_identity(row)}: {tenths}"
    more = len(finding.by_time) - _MOST_ROWS + finding.n_identities_left_out
    if more > 0:
        yield f"{words.count(more)} more"


def _identity(row: RoutingRow) -> str:
    parts = [row.model or "unknown model"]
    parts += [row.provider] if row.provider else []
    parts.append(row.fingerprint or "fingerprint unknown")
    return ", ".join(parts)
