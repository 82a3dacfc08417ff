"""The quick reader of JSON takes and refuses what the strict one does."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.canonical import _strictly_read, strict_json

SPACE = st.sampled_from(["", " ", "\t", "\n", "\u00a0"])
TEXT = st.text().map(json.dumps) | st.text(st.characters(exclude_categories=["Cs"])).map(
    lambda text: json.dumps(text, ensure_ascii=False)
)
NUMBERS = ["0", "-0", "-0.0", "1e5", "1E400", "-1e400", "01", "1.", ".5", "9007199254740993", "5e-324", "NaN"]
WORDS = st.sampled_from(
    [*NUMBERS, "true", "null", "Infinity", "-Infinity", "1" * 5000, '"\\ud800"', "\ufeff1"]
)
KEYS = st.sampled_from(['"a"', '"b"', '"a:b"', '"\\u0061"', '":"'])


def objects(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(KEYS, SPACE, inner).map(lambda found: f"{found[0]}{found[1]}:{found[2]}")
    return st.lists(pair, max_size=4).map(lambda pairs: "{" + ",".join(pairs) + "}")


DOCUMENTS = st.recursive(
    WORDS | TEXT | st.floats().map(json.dumps) | st.integers().map(str),
    lambda inner: objects(inner) | st.lists(inner, max_size=4).map(lambda items: f"[{','.join(items)}]"),
    max_leaves=8,
)


def outcome(read, text):
    try:
        return repr(read(text))
    except ValueError as error:
        return f"refused: {error}"


@given(SPACE, DOCUMENTS, SPACE)
def test_a_text_is_the_same_value_or_refused_for_the_same_reason(before, document, after):
    text = f"{before}{document}{after}"

    assert outcome(strict_json, text) == outcome(_strictly_read, text)


@pytest.mark.parametrize("text", ['{"a":1,"a":1}', '{"x":[{"a":1,"a":2}],":":":"}', '{"a":1,"\\u0061":1}'])
def test_a_key_that_comes_twice_is_refused(text):
    with pytest.raises(ValueError, match="occurs twice"):
        strict_json(text)


@pytest.mark.parametrize("depth", [150, 250, 900])
def test_nesting_is_read_as_deep_as_before(depth):
    assert outcome(strict_json, "[" * depth + "]" * depth) == outcome(
        _strictly_read, "[" * depth + "]" * depth
    )
