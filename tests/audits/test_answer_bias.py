"""Bias on the arms' own answers: format at equal length, the arms on equal terms, and how long they are."""

import math

import numpy as np
import pytest

from harness.audits import audit_bias
from harness.domain.cases import Case
from harness.domain.formats import format_of
from harness.domain.specs import Gates
from harness.domain.verdicts import AnswerNote
from tests.analysis.results import case
from tests.audits.readings import plan, reading

N = 120
CASES = tuple(Case(id=f"c{i}", prompt="p") for i in range(N))


def audited(says, written, *, gates=None, cases=CASES, held_out=(), n_chars=lambda arm, i: 100 + i % 7):
    """Audit a judge that says so of answers that are written so; both are told arm and number."""
    results, notes = [], []
    for i, each in enumerate(cases):
        texts = {arm: written(arm, i) for arm in ("baseline", "candidate")}
        result = case(
            each.id, [says("baseline", i, texts["baseline"])], [says("candidate", i, texts["candidate"])]
        )
        results.append(result._replace(split="held_out" if each.id in held_out else "exploratory"))
        notes += [
            AnswerNote(each.id, arm, 0, n_chars(arm, i), "0" * 64, None, 1, format=format_of(text))
            for arm, text in texts.items()
        ]
    planned = plan(cases=cases, gates=gates).model_copy(update={"held_out": tuple(held_out)})
    return audit_bias(planned, reading(cases=results, notes=notes))


def half_lists(arm, i):
    share = 2 if arm == "baseline" else 4
    return "plain" if i % 4 >= share else "- item"


RNG = np.random.default_rng(6)
LUCK = {arm: RNG.random(N) for arm in ("baseline", "candidate")}


def list_lover(arm, i, text):
    return int(LUCK[arm][i] < (0.9 if text == "- item" else 0.4))


def fair(arm, i, text):
    return int(LUCK[arm][i] < 0.6)


def test_a_judge_that_loves_lists_breaks_its_band_and_a_fair_one_does_not():
    gates = Gates(answer_bias_band=0.3)
    loving = audited(list_lover, half_lists, gates=gates)
    lists = {row.arm: row for row in loving.on_answers if row.of == "lists"}

    assert lists["baseline"].at_equal_length.difference > 0.3
    assert (lists["baseline"].status, loving.status) == ("fail", "fail")
    assert any(reason.startswith("answer_format_lists_baseline: +") for reason in loving.reasons)
    assert audited(fair, half_lists, gates=gates).status != "fail"


def test_without_a_band_the_numbers_stand_and_nothing_fails():
    found = audited(list_lover, half_lists)

    assert found.on_answers[0].raw.difference > 0.3
    assert {row.status for row in (*found.on_answers, *found.between_arms)} == {"not_audited"}
    assert found.status == "not_audited"


def test_an_arm_that_always_writes_alike_has_no_effect_of_format():
    row = next(row for row in audited(list_lover, half_lists).on_answers if row.arm == "candidate")

    assert (row.n_formatted, row.n_plain, row.at_equal_length.difference) == (N, 0, None)
    assert row.raw.reason == f"all {N} answers are formatted"


def test_the_part_of_the_difference_that_goes_with_lists_is_taken_out():
    row = next(row for row in audited(list_lover, half_lists).between_arms if "lists" in row.terms)

    assert (row.baseline_share, row.candidate_share, row.n_cases) == (0.5, 1.0, N)
    # Half of the candidate's answers gained a list, which is worth .5: all of the difference.
    assert row.raw.interval.low > 0.05
    assert row.equal.interval.low < 0 < row.equal.interval.high
    assert row.shift.interval.low > 0


def test_held_out_cases_are_in_none_of_it():
    closed = tuple(each.id for each in CASES[:100])
    found = audited(list_lover, half_lists, held_out=closed)

    assert {row.n_formatted + row.n_plain for row in found.on_answers} == {20}
    assert {row.n_cases for row in found.between_arms} == {20}
    assert (found.length_controlled.n_pairs, found.verbosity_ratio.n_cases) == (20, 20)
    assert found.verbosity[0].n_answers == 20


@pytest.mark.parametrize(
    ("band", "status"), [(0.1, "fail"), (0.4, "pass"), (0.2, "not_audited"), (None, "not_audited")]
)
def test_a_candidate_that_is_a_fifth_longer_is_held_against_its_band(band, status):
    found = audited(
        fair,
        half_lists,
        gates=Gates(verbosity_band=band),
        n_chars=lambda arm, i: int((600 if arm == "candidate" else 500) * math.exp(LUCK[arm][i] / 2)),
    ).verbosity_ratio

    assert found.ratio == pytest.approx(1.2, abs=0.06)
    assert found.interval.low < 1.2 < found.interval.high
    assert found.status == status


def test_mean_lengths_have_intervals_by_case():
    found = audited(fair, half_lists).verbosity[0]

    assert found.interval.low < found.mean_chars < found.interval.high
    assert found.interval.high - found.interval.low < 2


def test_what_of_a_win_rate_goes_with_length_is_held_against_the_band():
    def longer(arm, i):
        return 200 if (arm == "candidate") == (i % 4 > 0) else 100

    def length_lover(arm, i, text):
        return int(LUCK["baseline"][i] < (0.9 if longer(arm, i) == 200 else 0.2))

    found = audited(length_lover, half_lists, gates=Gates(answer_bias_band=0.05), n_chars=longer)

    assert found.length_controlled.shift.difference > 0.05
    assert found.length_controlled.status == "fail"


@pytest.mark.parametrize(
    ("text", "markdown", "lists"),
    [
        ("Plain.\nTwo lines, 3 - 2 = 1.", False, False),
        ("# Title", True, False),
        ("so **bold**", True, False),
        ("| a | b |", True, False),
        ("```\ncode\n```", True, False),
        ("First:\n- one\n- two", True, True),
        ("1. one\n2. two", True, True),
        ("  3) three", True, True),
        ("1.5 metres", False, False),
    ],
)
def test_what_counts_as_markdown_and_as_a_list(text, markdown, lists):
    assert format_of(text) == (markdown, lists)
