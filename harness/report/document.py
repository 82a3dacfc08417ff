"""The bytes of a report: written once, read strictly."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import InputError, Tampered
from harness.domain.report import SCHEMA_VERSION, Report
from harness.report.inert import inert

_MARK = b"\xef\xbb\xbf"


def report_bytes(report: Report) -> bytes:
    """Return the bytes of ``report.json``: RFC 8785, UTF-8, no line end.

    Raises:
        InputError: The report has no such bytes, for instance an integer
            beyond 2**53, which other readers would round.
    """
    return canonical_bytes(report)


def read_report(content: bytes) -> Report:
    """Read ``report.json``; only the very bytes that `report_bytes` writes are accepted.

    Raises:
        Tampered: Duplicate or unknown fields, NaN, trailing bytes, bytes that
            are not UTF-8, values that do not fit, or any other spelling of the
            same values. A report is written once, so somebody changed it.
        InputError: The file is no report, or of a version unknown here.
    """
    document = _object(content)
    version = document.get("schema_version")
    if version is None:
        raise InputError('not a report: it has no "schema_version"')
    if version != SCHEMA_VERSION:
        raise InputError(f"report of schema version {inert(repr(version))}, wanted {SCHEMA_VERSION!r}")
    report = _fitting(content)
    if _canonical(report) != content:
        raise Tampered("report: the same values, spelled otherwise than they were written (RFC 8785)")
    return report


def _object(content: bytes) -> Mapping[str, Any]:
    try:
        document = strict_json(content)
    except ValueError as cause:
        if content.removeprefix(_MARK).lstrip().startswith(b"{"):
            raise Tampered(f"report: not strict JSON: {inert(str(cause))}") from cause
        raise InputError(f"not a report: not JSON: {inert(str(cause))}") from cause
    if not isinstance(document, dict):
        raise InputError(f"not a report: a JSON {type(document).__name__}, wanted an object")
    return document


def _fitting(content: bytes) -> Report:
    try:
        return Report.from_json(content)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "top level"
        raise Tampered(f"report: {inert(place)}: {inert(first['msg'])}") from cause


def _canonical(report: Report) -> bytes:
    try:
        return canonical_bytes(report)
    except InputError as cause:
        raise Tampered(f"report: {inert(str(cause))}") from cause
