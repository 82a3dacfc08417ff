"""What a reader sees of a text: no format characters, compatibility forms folded."""

import sys
import unicodedata

import pytest

from harness.graders.folding import visible

FORMAT = [char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char) == "Cf"]


def test_every_format_character_is_removed():
    assert len(FORMAT) > 100
    assert [char for char in FORMAT if visible(f"good{char}\n") != "good\n"] == []
    assert visible("".join(FORMAT)) == ""


@pytest.mark.parametrize(
    "text", ["", "good", "caf\u00e9", "a\tb\u00a0c\x00\r\n", "\u2028\u2029\ue000", "\U0001f44d"]
)
def test_no_other_character_is(text):
    assert visible(text) == unicodedata.normalize("NFKC", text)


def test_full_width_letters_are_plain_ones():
    assert visible("\uff27\uff2f\uff2f\uff24\u200b") == "GOOD"
