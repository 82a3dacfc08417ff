"""The quick encoder is used only where it writes the same bytes."""

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.canonical import canonical_bytes
from harness.domain.errors import InputError

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | TEXT
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=12,
)


@given(JSON)
def test_every_json_value_has_the_bytes_of_the_reference_encoder(value):
    assert canonical_bytes(value) == rfc8785.dumps(value)


def test_keys_are_ordered_by_utf_16_units():
    assert canonical_bytes({"\U0001f600": 1, "\ufb33": 2}) == '{"\U0001f600":1,"\ufb33":2}'.encode()


@pytest.mark.parametrize("value", [2**53, {"a": "\ud800"}, {1: 2}, float("nan")])
def test_a_value_without_a_canonical_form_is_refused(value):
    with pytest.raises(InputError):
        canonical_bytes(value)
