"""What every value that touches disk has in common: frozen, strict, nothing unknown."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints


class Record(BaseModel):
    """A frozen value. Unknown fields, wrong types and non-finite numbers are refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        ser_json_inf_nan="strings",
        # What we write is written whole: a published schema asks for every field.
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read one record from JSON text.

        JSON mode is the only door for foreign text: it lets a list become a
        tuple, and still refuses ``"3"`` where a number is wanted.

        Raises:
            pydantic.ValidationError: The text does not fit the record.
        """
        return cls.model_validate_json(text)


def freeze(value: Any) -> Any:
    """Return the JSON value with every list a tuple and every object read-only."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    return value


def thaw(value: Any) -> Any:
    """Return the plain dicts and lists of a frozen JSON value."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value


JsonObject = Annotated[
    Mapping[str, Any], AfterValidator(freeze), PlainSerializer(thaw, return_type=dict[str, Any])
]
"""A JSON object whose keys are not ours to name, such as sampling settings."""


def nothing() -> Mapping[str, Any]:
    """Return the empty object, the default of every `JsonObject` field."""
    return MappingProxyType({})


Text = Annotated[str, StringConstraints(min_length=1)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class Chained(Record):
    """A line of an append-only file. ``previous`` is the ``entry`` of the line before.

    ``entry`` is the digest of everything else on the line.
    """

    number: Positive
    previous: Sha256 | None
    entry: Sha256
