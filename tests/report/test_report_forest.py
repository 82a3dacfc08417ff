"""Where the marks of the plot stand."""

from harness.report.estimates import estimate_rows
from harness.report.forest import axis


def percent(place):
    return float(place.rstrip("%"))


def test_without_any_interval_there_is_no_axis(samples):
    assert axis(estimate_rows(samples.empty_section()), margin=0.03) is None


def test_every_interval_zero_and_the_margin_lie_on_the_axis_in_order(samples):
    rows = estimate_rows(samples.section())
    scale = axis(rows, margin=0.03)

    assert 0 < percent(scale.band_start) < percent(scale.zero) < 100
    for row in rows:
        if row.span is not None:
            mark = scale.mark(row.span)
            assert 0 < percent(mark.low) <= percent(mark.middle) <= percent(mark.high) < 100


def test_a_limit_below_zero_stands_left_of_zero(samples):
    rows = estimate_rows(samples.section())
    scale = axis(rows, margin=0.03)

    mark = scale.mark(rows[0].span)

    assert percent(mark.low) < percent(scale.zero) < percent(mark.middle)


def test_ticks_are_few_and_hold_zero(samples):
    for margin in (0.001, 0.03, 0.9):
        scale = axis(estimate_rows(samples.section())[:1], margin=margin)

        labels = [tick.label for tick in scale.ticks]
        assert "0" in labels
        assert 2 <= len(labels) <= 8
        zero = next(tick for tick in scale.ticks if tick.label == "0")
        assert zero.at == scale.zero
