"""`harness timestamp`: a request for a time stamp over a signature, and the stamp into its bundle."""

from pathlib import Path

from harness.cli.output import put
from harness.cli.signed_run import BUNDLE
from harness.domain.errors import InputError, Tampered
from harness.report.bundle import open_bundle, with_timestamp
from harness.report.timestamps import is_over, read_token, request_for
from harness.report.trust import shown_time
from harness.store.replace import replace_bytes

_RECIPE = """\
{query}: a request for a time stamp over the signature in {bundle}. Nothing was sent. An authority answers it:

  curl -sS -H 'Content-Type: application/timestamp-query' --data-binary @{query} AUTHORITY-URL > stamp.tsr
  harness timestamp {bundle} --token stamp.tsr"""


def timestamp(*, path: Path, query: Path | None, token: Path | None) -> int:
    """Write a request for a time stamp, or put the stamp that came into the bundle."""
    if (query is None) == (token is None):
        raise InputError("wanted one of --query FILE (write a request) and --token FILE (put the stamp in)")
    bundle = path / BUNDLE if path.is_dir() else path
    signed = open_bundle(_bytes_of(bundle), name=str(bundle))
    if query is not None:
        replace_bytes(query, request_for(signed.signature))
        put(_RECIPE.format(query=query, bundle=bundle))
    elif token is not None:
        _put_in(bundle, signed.signature, token)
    return 0


def _put_in(bundle: Path, signature: bytes, path: Path) -> None:
    content = _bytes_of(path)
    try:
        token = read_token(content, place=str(path))
    except Tampered as cause:
        raise InputError(str(cause)) from cause
    if not is_over(token, signature):
        raise InputError(f"{path}: is over another signature than the one in {bundle}")
    replace_bytes(bundle, with_timestamp(_bytes_of(bundle), content, name=str(bundle)))
    put(f"{bundle}: carries a time stamp of {shown_time(token.time)}; `harness verify --tsa` checks by whom")


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        raise InputError(f"{path}: cannot be read: {cause.strerror}") from cause
