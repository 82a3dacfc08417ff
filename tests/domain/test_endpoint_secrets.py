import pytest
from asking import an_endpoint
from pydantic import ValidationError

SECRET = "FAKE-KEY-123"


@pytest.mark.parametrize(
    "base_url",
    [
        f"https://user:{SECRET}@model.test/v1",
        f"https://{SECRET}@model.test/v1",
        f"https://model.test/v1?api_key={SECRET}",
        f"https://model.test/v1?{SECRET}",
        f"https://model.test/v1#{SECRET}",
        f"{SECRET}.test/v1",
        f"ftp://model.test/{SECRET}",
        f"http://[{SECRET}/v1",
        f"http://model.test:{SECRET}/v1",
    ],
)
def test_an_address_that_may_hold_a_key_is_refused_without_being_shown(base_url):
    with pytest.raises(ValidationError) as raised:
        an_endpoint(base_url)

    complaint = raised.value.errors()[0]["msg"]
    assert "base_url: " in complaint
    assert SECRET not in complaint


@pytest.mark.parametrize(
    "base_url", ["http://127.0.0.1:8000/v1", "https://x.openai.azure.com/openai?api-version=2024-06-01"]
)
def test_a_plain_address_is_taken(base_url):
    assert an_endpoint(base_url).base_url == base_url


@pytest.mark.parametrize("name", ["Authorization", "api-key", "X-Auth-Token", "cookie"])
def test_a_header_that_holds_a_secret_names_its_variable(name):
    with pytest.raises(ValidationError) as raised:
        an_endpoint(headers={name: SECRET})

    assert SECRET not in raised.value.errors()[0]["msg"]
    assert an_endpoint(headers={name: "env:A_KEY"}).headers[name] == "env:A_KEY"


def test_a_header_is_a_text():
    with pytest.raises(ValidationError, match=r"headers\.X-Retries: wanted a text"):
        an_endpoint(headers={"X-Retries": 3})
