"""What the values of sealed lines have in common: read a million at a time, as strictly as a `Record`.

`Record` checks a value wherever it comes from. These are checked where they come
from JSON; those that we make ourselves are held to their types by the type checker.
"""

from typing import Annotated, Any, Self

import msgspec

SealedText = Annotated[str, msgspec.Meta(min_length=1)]
# The length is said too: to a regular expression, "$" stands before a last line end as well.
SealedName = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
SealedCount = Annotated[int, msgspec.Meta(ge=0)]


class Sealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A frozen value. Unknown fields, wrong types and non-finite numbers are refused when it is read.

    No value of it holds itself, so that the garbage collector need not look at any.
    """

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read one value from JSON text.

        Raises:
            ValueError: The text is no JSON, or does not fit.
        """
        try:
            return msgspec.json.decode(text, type=cls)
        except RecursionError as cause:
            raise ValueError("nested too deeply") from cause

    def to_json(self) -> bytes:
        """Return the value as JSON, its fields in the order they are declared in."""
        return msgspec.json.encode(self)

    def plain(self) -> dict[str, Any]:
        """Return the value as a JSON object of plain dicts and lists."""
        found: dict[str, Any] = msgspec.json.decode(self.to_json())
        return found
