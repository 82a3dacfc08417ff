"""Text that came from elsewhere."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.inert import inert, name, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain-id_7", "plain-id_7"),
        ("Größe 例 ", "Größe 例 "),
        ("a\x1b[31mred", "a\\x1b[31mred"),
        ("a\x9b31m", "a\\x9b31m"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("a\u2066b\u200bc\ufeff", "a\\u2066b\\u200bc\\ufeff"),
        ("line\u2028end", "line\\u2028end"),
        ("lone \ud800", "lone \\ud800"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("nul \x00", "nul \\x00"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text, shown):
    assert inert(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        " =HYPERLINK(1)",
        "+cmd|' /C calc'!A0",
        "-SUM(A1)",
        "@SUM(A1)",
        "\t=1",
        "-2+3+cmd|' /C calc'!A0",
    ],
)
def test_a_formula_is_no_formula_any_more(text):
    assert inert(text)[0] in "'\\"


@pytest.mark.parametrize("text", ["+5.2 points (Tango)", "-0.4", "@cf/meta/llama-2-7b", "- a note"])
def test_numbers_and_model_names_are_no_formulas(text):
    assert inert(text) == text


def test_a_long_text_is_cut_and_says_so():
    assert inert("x" * 5000, limit=10) == "xxxxxxxxxx… (5,000 characters)"
    assert len(name("y" * 1_000_000)) < 120


def test_piled_up_marks_are_written_out():
    assert inert("e" + "\u0301" * 5) == "e\u0301\u0301" + "\\u0301" * 3


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=60))
def test_no_text_keeps_a_control_or_format_character(text):
    shown = inert(text)

    assert not [
        mark for mark in shown if unicodedata.category(mark) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    ]
    shown.encode("utf-8")


def test_wide_characters_take_two_columns():
    assert width("abc") == 3
    assert width("例え") == 4
    assert width("e\u0301") == 1
