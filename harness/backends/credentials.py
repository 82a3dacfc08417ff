"""Keys and header values from the environment; nothing else holds them."""

from collections.abc import Mapping
from typing import NamedTuple

from harness.backends.masking import Mask, make_mask
from harness.domain.errors import InputError
from harness.domain.specs import EndpointSpec

_FROM_ENVIRONMENT = "env:"


class Credentials(NamedTuple):
    """The headers that are sent beside the body's own, and the mask for what they hold."""

    headers: tuple[tuple[str, str], ...]
    mask: Mask

    def __repr__(self) -> str:
        return f"Credentials({', '.join(name for name, _ in self.headers)})"


def read_credentials(name: str, endpoint: EndpointSpec, *, environ: Mapping[str, str]) -> Credentials:
    """Return the headers of the endpoint, its key among them.

    With ``api_key_env`` null no Authorization header is sent, unless
    ``headers`` names one. A header value ``env:NAME`` is the value of the
    variable NAME; every other one is sent as it stands.

    Raises:
        InputError: A variable is not set, or its value cannot stand in a header.
    """
    headers: dict[str, str] = {}
    secrets: list[str] = []
    if endpoint.api_key_env is not None:
        key = _variable(endpoint.api_key_env, f"endpoint {name}: api_key_env", environ)
        headers["authorization"] = f"Bearer {key}"
        secrets.append(key)
    for header, value in endpoint.headers.items():
        if value.startswith(_FROM_ENVIRONMENT):
            variable = value.removeprefix(_FROM_ENVIRONMENT)
            value = _variable(variable, f"endpoint {name}: headers.{header}", environ)
            # "Bearer KEY" is one value; the key is echoed without the word before it.
            secrets += [value, value.rpartition(" ")[2]]
        headers[header.lower()] = value
    return Credentials(headers=tuple(headers.items()), mask=make_mask(secrets))


def _variable(variable: str, place: str, environ: Mapping[str, str]) -> str:
    value = environ.get(variable, "")
    if not value.strip():
        raise InputError(f"{place}: the environment variable {variable} is not set")
    if not (value.isascii() and value.isprintable()) or value != value.strip():
        raise InputError(
            f"{place}: the value of the environment variable {variable} cannot stand in a header: "
            "it has a line break, a space at an end, or a character that is not ASCII"
        )
    return value
