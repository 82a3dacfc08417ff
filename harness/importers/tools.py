"""Whose log a file is, told by what it holds."""

from collections.abc import Mapping
from pathlib import Path

from harness.domain.errors import InputError
from harness.importers.deepeval_log import is_deepeval, read_deepeval
from harness.importers.fastchat_log import is_fastchat_single, read_fastchat_single
from harness.importers.inspect_log import is_inspect, read_inspect
from harness.importers.lm_eval_log import is_lm_eval, read_lm_eval
from harness.importers.openai_evals_log import is_openai_evals, read_openai_evals
from harness.importers.promptfoo_log import is_promptfoo, read_promptfoo
from harness.importers.tool_log import ToolLog, first_line, log_rows, read_document


def read_tool_log(path: Path, *, metric: str | None, column: str | None) -> ToolLog | None:
    """Return a peer tool's log, or null where the file is a plain results file.

    Args:
        path: The file.
        metric: The scorer or metric that counts; null where there is one only.
        column: The prompt or the model, where a file holds several.

    Raises:
        InputError: The log cannot be read, lacks what is named, or has several
            of what is not.
    """
    log = _read(path, metric=metric, column=column)
    for option, named in (("--metric", metric), ("FILE@NAME", column)):
        if log is None and named is not None:
            raise InputError(
                f"{path}: {option}: found {named!r}, and a plain results file has none to choose"
            )
    return log


def _read(path: Path, *, metric: str | None, column: str | None) -> ToolLog | None:
    if path.suffix.lower() == ".csv":
        return None
    if path.suffix.lower() == ".eval":
        return read_inspect(path, None, metric=metric)
    first = first_line(path)
    if first is None:
        document = read_document(path) if path.suffix.lower() == ".json" else None
        return _document_log(path, document, metric=metric, column=column)
    if not isinstance(first, Mapping):
        return None
    if is_lm_eval(first):
        return read_lm_eval(path, log_rows(path), metric=metric)
    if is_openai_evals(first):
        return read_openai_evals(path, log_rows(path), metric=metric)
    if is_fastchat_single(first):
        return read_fastchat_single(path, log_rows(path), column=column)
    return _document_log(path, first, metric=metric, column=column)


def _document_log(path: Path, document: object, *, metric: str | None, column: str | None) -> ToolLog | None:
    if not isinstance(document, Mapping):
        return None
    if is_inspect(document):
        return read_inspect(path, document, metric=metric)
    if is_promptfoo(document):
        return read_promptfoo(path, document, column=column)
    if is_deepeval(document):
        return read_deepeval(path, document, metric=metric)
    return None
