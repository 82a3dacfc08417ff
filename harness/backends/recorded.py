"""Replies from a file: recorded ones, or the sealed evidence of an earlier run."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from harness.backends.bodies import completion_response
from harness.domain.calls import Evidence, RecordedReply, Request, Response, Side, Subject
from harness.domain.canonical import strict_json
from harness.domain.cases import Arm
from harness.domain.errors import InputError, Permanent

R = TypeVar("R", RecordedReply, Evidence)


class About(NamedTuple):
    """What a recorded reply answers."""

    kind: str
    id: str
    arm: Arm | None
    answer: int | None
    first: Side | None
    repeat: int

    def __str__(self) -> str:
        arm = f", arm {self.arm}" if self.arm else ""
        answer = f", answer {self.answer}" if self.answer is not None else ""
        first = f", {self.first} first" if self.first else ""
        return f"{self.kind} {self.id!r}{arm}{answer}{first}, repeat {self.repeat}"


class RecordedBackend:
    """Answers from a file, the same every time.

    A line of the file is a `RecordedReply`, found by what it is about, or an
    `Evidence` record of an earlier run, found by the request's name. A recorded
    answer that names no arm is the answer of either arm. A reply that names no
    model came from nobody knows whom: the endpoint's name is not put in its place.
    """

    def __init__(self, path: Path) -> None:
        """Read the file.

        Args:
            path: The file, or the run directory that holds ``evidence.jsonl``.

        Raises:
            InputError: The file cannot be read, a line is no reply, or two
                lines are about the same call.
        """
        self._path = path / "evidence.jsonl" if path.is_dir() else path
        self._replies: Mapping[About, RecordedReply] = {}
        self._evidence: Mapping[str, Evidence] = {}
        if _is_evidence(self._path):
            self._evidence = _read_evidence(self._path)
        else:
            self._replies = _read_replies(self._path)

    async def send(self, request: Request) -> Response:
        """Return the recorded response.

        Raises:
            Permanent: None is recorded (``no_recorded_reply``), or a failure is.
        """
        if self._evidence:
            return self._from_evidence(request)
        reply = next((self._replies[about] for about in _wanted(request) if about in self._replies), None)
        if reply is None:
            raise self._missing(request)
        if reply.failure is not None:
            raise Permanent(reply.failure, f"recorded as a failure in {self._path.name}")
        return completion_response(
            reply.content,
            model=reply.model,
            fingerprint=reply.fingerprint,
            finish_reason=reply.finish_reason,
        )

    async def aclose(self) -> None:
        """Do nothing: the file was read and closed."""

    def _from_evidence(self, request: Request) -> Response:
        record = self._evidence.get(request.name)
        if record is not None and record.failure is not None:
            raise Permanent(record.failure.kind, record.failure.detail, status=record.failure.status)
        if record is None or record.response is None:
            raise self._missing(request)
        return record.response

    def _missing(self, request: Request) -> Permanent:
        wanted = _wanted(request)[0]
        return Permanent(
            "no_recorded_reply", f"{self._path.name} has no reply of {request.endpoint} for {wanted}"
        )


def _wanted(request: Request) -> tuple[About, ...]:
    """Return where the reply to a request may stand, the closest first."""
    subject = request.subject
    exact = _about(subject, repeat=request.repeat)
    return (exact, exact._replace(arm=None)) if request.role == "answer" else (exact,)


def _about(subject: Subject | RecordedReply, *, repeat: int) -> About:
    return About(subject.kind, subject.id, subject.arm, subject.answer, subject.first, repeat)


def _is_evidence(path: Path) -> bool:
    for line, content in _lines(path):
        try:
            first = strict_json(content)
        except ValueError as cause:
            raise InputError(f"{path}:{line}: not JSON: {cause}") from cause
        return isinstance(first, dict) and "request" in first
    return False


def _read_replies(path: Path) -> dict[About, RecordedReply]:
    found: dict[About, RecordedReply] = {}
    lines: dict[About, int] = {}
    for line, content in _lines(path):
        reply = _read(path, line, content, RecordedReply)
        about = _about(reply, repeat=reply.repeat)
        _refuse_second(path, line, first_line=lines.setdefault(about, line), about=str(about))
        found[about] = reply
    return found


def _read_evidence(path: Path) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    lines: dict[str, int] = {}
    for line, content in _lines(path):
        record = _read(path, line, content, Evidence)
        first_line = lines.setdefault(record.request, line)
        _refuse_second(path, line, first_line=first_line, about=f"request {record.request}")
        found[record.request] = record
    return found


def _refuse_second(path: Path, line: int, *, first_line: int, about: str) -> None:
    if first_line != line:
        raise InputError(f"{path}:{line}: a second reply for {about}; the first is on line {first_line}")


def _read(path: Path, line: int, content: bytes, record: type[R]) -> R:
    try:
        strict_json(content)
        return record.from_json(content)
    except ValidationError as cause:
        problem = cause.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or "line"
        raise InputError(f"{path}:{line}: {where}: {problem['msg']}") from cause
    except ValueError as cause:
        raise InputError(f"{path}:{line}: not JSON: {cause}") from cause


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield line numbers and contents; only LF ends a line, and blank ones are passed over."""
    try:
        with path.open("rb") as file:
            for line, content in enumerate(file, start=1):
                text = (content.removeprefix(b"\xef\xbb\xbf") if line == 1 else content).strip()
                if text:
                    yield line, text
    except OSError as cause:
        raise InputError(f"{path}: cannot be read: {cause.strerror}") from cause
