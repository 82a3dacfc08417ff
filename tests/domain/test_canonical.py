"""The vectors of RFC 8785, and what is no JSON here."""

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.domain.canonical import (
    canonical_bytes,
    digest,
    digest_of_plain,
    sha256_hex,
    strict_json,
    text_digest,
)
from harness.domain.errors import InputError
from harness.domain.specs import Limits

# RFC 8785, appendix B: the bits of a double and its text.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]

# RFC 8785, section 3.2.2.
SAMPLE = r"""
{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}
"""
SAMPLE_CANONICAL = (
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
    r'"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/"}'
)

# RFC 8785, section 3.2.3: keys in the order of their UTF-16 code units.
SORTED = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\U0001f600": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis",
}


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_a_number_is_written_as_the_standard_writes_it(bits, text):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))

    assert canonical_bytes(number) == text.encode()


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
def test_nan_and_infinity_have_no_canonical_form(bits):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))

    with pytest.raises(InputError):
        canonical_bytes({"score": number})


def test_the_sample_of_the_standard_has_its_bytes():
    assert canonical_bytes(json.loads(SAMPLE)) == SAMPLE_CANONICAL.encode()


def test_keys_stand_in_the_order_of_the_standard():
    assert list(json.loads(canonical_bytes(SORTED)).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


# A float from 2**53 on is written as an integer, which no reader could take for exact: not read back.
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-(2.0**53) + 1, 2.0**53 - 1)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON_VALUES)
def test_canonical_bytes_read_back_have_the_same_canonical_bytes(value):
    once = canonical_bytes(value)

    assert canonical_bytes(strict_json(once)) == once


@settings(deadline=None)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 9), min_size=2))
def test_the_order_of_keys_does_not_change_a_digest(value):
    assert digest(dict(reversed(list(value.items())))) == digest(value)


PLAIN = st.none() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None)
@given(st.dictionaries(st.text(st.characters(max_codepoint=127), max_size=6), PLAIN))
def test_the_digest_of_plain_fields_is_the_digest(fields):
    assert digest_of_plain(fields) == digest(fields)


def test_half_a_character_has_no_digest_of_either_kind():
    for function in (digest, digest_of_plain):
        with pytest.raises(InputError, match="no canonical JSON form"):
            function({"answer": "\ud800"})


def test_one_and_one_point_nought_are_one_value():
    assert digest({"temperature": 1}) == digest({"temperature": 1.0})


def test_a_record_and_its_json_have_one_digest():
    limits = Limits(in_flight=3)

    assert digest(limits) == digest(limits.model_dump(mode="json"))


def test_absent_null_and_nought_are_three_settings():
    assert len({digest({}), digest({"seed": None}), digest({"seed": 0})}) == 3


def test_a_text_has_the_digest_of_its_utf_8_bytes():
    # printf 'é' | sha256sum
    assert text_digest("é") == "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"
    assert text_digest("é") == sha256_hex("é".encode())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"score": NaN}', "NaN is not a JSON number"),
        ('{"score": -Infinity}', "-Infinity is not a JSON number"),
        ('{"score": 1e400}', "1e400 is not a finite number"),
        ('{"a": 1, "a": 2}', "key 'a' occurs twice"),
        ('{"a": 1} x', "Extra data"),
        ("[" * 100_000, "nested too deeply"),
        (b'"\xff"', "utf-8"),
        ("", "Expecting value"),
        ("1" * 5000, "digits"),
    ],
)
def test_what_two_readers_could_take_for_two_values_is_refused(text, why):
    with pytest.raises(ValueError, match=why):
        strict_json(text)


def test_one_key_in_two_objects_is_no_duplicate():
    assert strict_json('[{"a": 1}, {"a": 2}]') == [{"a": 1}, {"a": 2}]
