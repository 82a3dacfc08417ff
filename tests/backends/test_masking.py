import pytest

from harness.backends.masking import make_mask, mask_bytes


def test_what_holds_no_secret_is_left_alone():
    assert make_mask(["secret-123"])("ten ** stars") == "ten ** stars"


def test_the_longer_of_two_secrets_is_masked_whole():
    assert make_mask(["secret-123", "secret-123-long"])("a secret-123-long b") == "a [key] b"


@pytest.mark.parametrize("placeholder", ["", "EMPTY", "x", "ollama"])
def test_a_value_too_short_to_be_a_secret_masks_nothing(placeholder):
    assert make_mask([placeholder])("EMPTY x ollama") == "EMPTY x ollama"


def test_bytes_around_a_secret_stay_as_they_are():
    content = b"\xff\x00secret-123\xc3\xa9"

    assert mask_bytes(make_mask(["secret-123"]), content) == b"\xff\x00[key]\xc3\xa9"
