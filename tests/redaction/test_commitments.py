"""A commitment binds its text and hides it: the salt of one part tells nothing of another."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.domain.errors import InputError
from harness.redaction.commitments import commitment, new_secret, read_secret, salt_of, secret_text, text_tag
from harness.redaction.lines import Draft, committed, leaf, leaf_of, problem, without

SECRET = bytes(range(32))
CLEAR = {"fields": {"id": "c"}}
TEXT = {"answer": "pass"}


def test_a_commitment_is_sha256_over_salt_and_canonical_text():
    salt = salt_of(SECRET, index=3, part="answer")

    assert salt == hmac.new(SECRET, b"salt/3/answer", hashlib.sha256).digest()
    assert commitment(salt, TEXT) == hashlib.sha256(salt + b'{"answer":"pass"}').hexdigest()


def test_no_two_places_share_a_salt_and_no_two_texts_a_commitment():
    salts = {salt_of(SECRET, index=n, part=part) for n in range(9) for part in ("answer", "prompt")}

    assert len(salts) == 18
    assert len({commitment(salt, TEXT) for salt in salts}) == 18


def test_equal_answers_to_one_case_share_a_tag_and_to_two_cases_none():
    tags = [text_tag(SECRET, case=case, text_sha256="0" * 64) for case in ("c1", "c1", "c2")]

    assert tags[0] == tags[1] != tags[2]


@given(st.text(max_size=20), st.text(max_size=20))
def test_only_the_text_itself_opens_a_commitment(text, other):
    line = committed(Draft("case", CLEAR, {"prompt": {"prompt": text}}), secret=SECRET, index=0)
    forged = line.shown[0].model_copy(update={"content": {"prompt": other}})

    assert problem(line) is None
    assert (problem(line.model_copy(update={"shown": (forged,)})) is None) == (text == other)


def test_what_is_shown_changes_no_leaf():
    line = committed(Draft("case", CLEAR, {"prompt": TEXT, "reference": TEXT}), secret=SECRET, index=0)

    assert leaf(line) == leaf(without(line, {"prompt"})) == leaf(without(line, {"prompt", "reference"}))


def test_a_leaf_is_the_same_without_its_line():
    draft = Draft("case", {**CLEAR, "é": [1, 0.5, None]}, {"prompt": TEXT, "reference": {"checks": []}})

    assert leaf_of(draft, secret=SECRET, index=7) == leaf(committed(draft, secret=SECRET, index=7))


def test_a_secret_is_read_as_it_was_written():
    secret = new_secret()

    assert (len(secret), read_secret(secret_text(secret), place="x")) == (32, secret)


@pytest.mark.parametrize("text", ["", "00", "0" * 63, "0" * 65, "G" * 64, "0" * 64 + "\n\n"])
def test_a_secret_that_is_none_is_refused_without_being_repeated(text):
    with pytest.raises(InputError) as caught:
        read_secret(text, place="redaction.key")

    assert str(caught.value) == "redaction.key: wanted the secret of a run, 64 hexadecimal digits"
