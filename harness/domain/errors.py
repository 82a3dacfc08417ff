"""The error tree. A message says what, where, what was found and what was wanted."""


class HarnessError(Exception):
    """Anything the harness can say to its user in one line.

    ``exit_code`` is what the command line exits with.
    """

    exit_code = 3


class InputError(HarnessError):
    """The user's input or command line is wrong."""

    exit_code = 2


class NotMeasured(HarnessError):
    """It could not be measured, or the evidence is not enough."""

    exit_code = 3


class Tampered(HarnessError):
    """Something frozen or signed was changed."""

    exit_code = 4


class StoreError(HarnessError):
    """The run directory cannot be read or written as it stands; nothing was deleted."""

    exit_code = 3


class CallError(HarnessError):
    """One call did not bring a response.

    ``kind`` counts errors under one name; ``status`` is the HTTP status where
    there was one. The text never holds a key or a request header.
    """

    def __init__(self, kind: str, detail: str, *, status: int | None = None) -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail
        self.status = status


class Transient(CallError):
    """A call that may succeed when asked again.

    ``retry_after_s`` is what the server asked for, if it did.
    """

    def __init__(
        self, kind: str, detail: str, *, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(kind, detail, status=status)
        self.retry_after_s = retry_after_s


class Permanent(CallError):
    """A call that asking again cannot mend: a wrong key, a wrong model, no quota."""
