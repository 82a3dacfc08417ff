"""The terminal summary."""

from harness.report.inert import width
from harness.report.terminal import COLUMNS, terminal_summary


def test_it_leads_with_the_sentence_and_then_the_interval(samples):
    first, second, third, *_ = terminal_summary(samples.full_report()).splitlines()

    assert first.startswith("Inconclusive: the candidate")
    assert second == (
        "difference +5.3 points, 95% interval [-0.2, +10.8] (Tango score), n = 247 of 250 cases"
    )
    assert third.startswith("p = 0.064 (McNemar mid-p)")


def test_what_has_no_verdict_is_counted_before_the_verdicts(samples):
    text = terminal_summary(samples.full_report())

    assert text.index("truncated 4") < text.index("baseline passes")
    assert text.index("no majority in an arm: 3") < text.index("baseline passes")


def test_the_gain_and_loss_table_adds_up(samples):
    lines = terminal_summary(samples.full_report()).splitlines()

    table = [
        line.split() for line in lines if line.startswith(("  baseline passes", "  baseline fails", "  all"))
    ]
    assert table == [
        ["baseline", "passes", "150", "18", "(loss)", "168"],
        ["baseline", "fails", "31", "(gain)", "48", "79"],
        ["all", "181", "66", "247"],
    ]


def test_a_closed_held_out_part_is_counted_and_not_scored(samples):
    text = terminal_summary(samples.full_report())

    assert "Held-out cases: 107, not opened; they are in no number above" in text


def test_an_opened_held_out_part_leads(samples):
    lines = terminal_summary(samples.opened_report()).splitlines()

    assert lines[1].startswith("difference +10.3 points")
    assert "Held-out cases: 107" in lines


def test_a_surviving_canary_is_named_and_nothing_is_estimated(samples):
    text = terminal_summary(samples.invalid_report())

    assert text.splitlines()[1] == "difference: not estimable: the arms were not called, n = 0 of 250 cases"
    assert "k-001: judge: expected fail, found pass, 0 of 3 votes as expected" in text
    assert "not audited" in text


def test_flips_show_both_directions_and_how_many_more_there_are(samples):
    lines = terminal_summary(samples.full_report()).splitlines()

    assert sum(line.startswith("  loss  ") for line in lines) == 5
    assert sum(line.startswith("  gain  ") for line in lines) == 5
    assert any("and 39 more flips in report.json" in line for line in lines)


def test_no_line_is_wider_than_a_terminal(samples):
    for report in (
        samples.full_report(),
        samples.hostile_report("例" * 300),
        samples.hostile_report("x" * 3000),
    ):
        assert max(width(line) for line in terminal_summary(report).splitlines()) <= COLUMNS


def test_the_same_report_gives_the_same_text(samples):
    assert terminal_summary(samples.full_report()) == terminal_summary(samples.full_report())
