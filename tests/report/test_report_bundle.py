"""Foreign bytes in the place of a bundle or a statement are refused, whatever they are."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.domain.canonical import canonical_bytes
from harness.domain.errors import Tampered
from harness.report.bundle import bundle_bytes, open_bundle, pre_authentication, signer_of
from harness.report.keys import key_id, make_key
from harness.report.statement import read_statement
from harness.report.trust import Pinned

KEY = make_key("ed25519")
PIN = Pinned(key=KEY.public_key(), id=key_id(KEY.public_key()), owner="someone")
BUNDLE = bundle_bytes(b"payload", KEY)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)


@given(st.binary(max_size=400) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=200, deadline=None)
def test_bytes_that_are_no_bundle_are_tampered_with_and_nothing_else(content):
    for read in (lambda it: open_bundle(it, name="b"), read_statement):
        with pytest.raises(Tampered) as caught:
            read(content)
        assert str(caught.value).isprintable()


@given(st.integers(0, len(BUNDLE) - 1), st.integers(1, 255))
@settings(max_examples=300, deadline=None)
def test_no_changed_byte_of_a_bundle_leaves_a_valid_signature(place, mask):
    changed = bytearray(BUNDLE)
    changed[place] ^= mask
    try:
        signed = open_bundle(bytes(changed), name="b")
    except Tampered:
        return
    assert signer_of(signed, [PIN]) is None


@given(st.sampled_from(["mediaType", "verificationMaterial", "dsseEnvelope"]), JSON)
@settings(max_examples=100, deadline=None)
def test_no_other_value_of_a_field_is_taken(field, value):
    document = json.loads(BUNDLE)
    if document[field] == value:
        return
    with pytest.raises(Tampered):
        open_bundle(canonical_bytes({**document, field: value}), name="b")


def test_a_bundle_reads_back_to_what_was_signed():
    signed = open_bundle(BUNDLE, name="b")

    assert (signed.payload, signed.hint, signer_of(signed, [PIN])) == (b"payload", PIN.id, PIN)
    assert signer_of(signed, []) is None


def test_a_signature_over_the_bare_payload_is_none():
    document = json.loads(BUNDLE)
    bare = base64.b64encode(KEY.sign(b"payload")).decode()
    document["dsseEnvelope"]["signatures"][0]["sig"] = bare

    assert signer_of(open_bundle(canonical_bytes(document), name="b"), [PIN]) is None
    assert (
        KEY.public_key().verify(open_bundle(BUNDLE, name="b").signature, pre_authentication(b"payload"))
        is None
    )
