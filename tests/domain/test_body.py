"""The outgoing body, and the address that may be shown."""

import json

import pytest

from harness.domain.body import chat_body, public_address
from harness.domain.cases import Message
from harness.domain.record import freeze

MESSAGES = (Message(role="system", content="s"), Message(role="user", content="u"))


def test_the_body_is_the_settings_the_model_and_the_messages():
    body = chat_body(model="m", messages=MESSAGES, sampling={"temperature": 0})

    assert json.loads(body) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "temperature": 0,
    }


def test_the_order_of_settings_does_not_change_the_body():
    there = chat_body(model="m", messages=MESSAGES, sampling={"temperature": 0, "seed": 1})
    back = chat_body(model="m", messages=MESSAGES, sampling={"seed": 1, "temperature": 0})

    assert there == back


def test_what_is_absent_stays_absent_and_null_stays_null():
    assert "seed" not in json.loads(chat_body(model="m", messages=MESSAGES, sampling={}))
    assert json.loads(chat_body(model="m", messages=MESSAGES, sampling={"seed": None}))["seed"] is None


def test_frozen_settings_are_sent_as_plain_json():
    sampling = freeze({"stop": ["a"], "response_format": {"type": "json_object"}})

    body = json.loads(chat_body(model="m", messages=MESSAGES, sampling=sampling))

    assert body["stop"] == ["a"]
    assert body["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("base_url", "shown"),
    [
        (None, ""),
        ("https://model.test/v1/", "https://model.test/v1"),
        ("https://user:FAKE@model.test:8443/v1?api_key=FAKE#FAKE", "https://model.test:8443/v1"),
        ("https://a@b:FAKE@model.test/v1", "https://model.test/v1"),
    ],
)
def test_an_address_is_shown_without_what_could_be_a_secret(base_url, shown):
    assert public_address(base_url) == shown
