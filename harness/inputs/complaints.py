"""What pydantic found wrong with a record, in the words of the people who write the files."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from harness.domain.record import Record

Key = str | int

_N_TOLD = 3
_LONGEST_SHOWN = 60
_PRIVATE = {"headers", "base_url", "api_key_env"}
_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "keys and values",
    "mapping_type": "keys and values",
    "model_type": "keys and values",
    "string_too_short": "text that is not empty",
}
_LIMITS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}


class Complaint(NamedTuple):
    """One thing that is wrong: the keys that lead to it, and what to say of it."""

    keys: tuple[Key, ...]
    text: str


class _Spot(NamedTuple):
    keys: tuple[Key, ...]
    shape: object


def complaints(error: ValidationError, record: type[Record]) -> tuple[Complaint, ...]:
    """Return what is wrong, unknown keys first.

    A key that is missing because it was misspelt is told once, as the
    misspelling.
    """
    details = sorted(error.errors(include_url=False), key=lambda detail: detail["type"] != "extra_forbidden")
    told: list[Complaint] = []
    meant: set[tuple[Key, ...]] = set()
    for detail in details:
        spot = _spot(detail["loc"], record)
        if detail["type"] == "missing" and spot.keys in meant:
            continue
        if detail["type"] == "extra_forbidden":
            text, guess = _unknown_key(spot.keys, _spot(detail["loc"][:-1], record).shape)
            meant.add((*spot.keys[:-1], guess))
        else:
            text = _text(detail, spot)
        told.append(Complaint(keys=_meant(detail, spot), text=text))
    return tuple(told)


def _meant(detail: ErrorDetails, spot: _Spot) -> tuple[Key, ...]:
    """Return the keys that a complaint is about: a rule between fields names the one that breaks it."""
    if detail["type"] != "value_error":
        return spot.keys
    named = str(detail["ctx"]["error"]).partition(":")[0].split(".")[0]
    known = {field for model in _models(spot.shape) for field in model.model_fields}
    return (*spot.keys, named) if named in known else spot.keys


def one_line(told: Sequence[Complaint]) -> str:
    """Return the complaints as one line; what goes beyond three is counted."""
    line = "; ".join(complaint.text for complaint in told[:_N_TOLD])
    rest = len(told) - _N_TOLD
    return f"{line}; and {rest} more" if rest > 0 else line


def dotted(keys: Sequence[Key]) -> str:
    """Return the keys as people write them: ``checks[0].expected``."""
    path = ""
    for key in keys:
        path += f"[{key}]" if isinstance(key, int) else f".{key}" if path else key
    return path


def shown(value: object) -> str:
    """Return a value as it stands in a message: short, on one line."""
    if isinstance(value, Mapping):
        return "keys and values"
    if isinstance(value, list | tuple):
        return "a list"
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the known word that the given one was probably meant to be, or null."""
    close = get_close_matches(word, known, n=1, cutoff=0.7)
    return close[0] if close else None


def _text(detail: ErrorDetails, spot: _Spot) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    at = dotted(spot.keys)
    place = f"{at}: " if at else ""
    if kind == "value_error":
        said = str(context["error"])
        return f"{at}.{said}" if at and ": " in said else f"{place}{said}"
    if kind == "missing":
        return f"{place}missing, wanted {_wanted_of(spot.shape)}"
    if kind == "json_invalid":
        return f"{place}not JSON: {context['error']}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _wrong_kind(at, detail["input"], spot.shape)
    # A key that was put in the wrong place is not to be printed.
    found = "a value" if _PRIVATE & set(spot.keys) else shown(detail["input"])
    return f"{place}found {found}, wanted {_wanted(kind, context, detail['msg'])}"


def _wanted(kind: str, context: Mapping[str, Any], said: str) -> str:
    if kind in _LIMITS:
        name, words = _LIMITS[kind]
        return f"{words} {context[name]:g}"
    if kind == "literal_error":
        return str(context["expected"])
    if kind == "string_pattern_mismatch":
        return f"text of the form {context['pattern']}"
    if kind == "too_short":
        return f"a list of at least {context['min_length']}"
    return _WANTED.get(kind) or said.removeprefix("Input should be ")


def _unknown_key(keys: tuple[Key, ...], shape: object) -> tuple[str, str]:
    known = [name for model in _models(shape) for name in model.model_fields]
    guess = nearest(str(keys[-1]), known)
    hint = f"did you mean {guess!r}?" if guess else f"known are {', '.join(known)}"
    return f"unknown key {dotted(keys)!r}; {hint}", guess or ""


def _wrong_kind(at: str, value: object, shape: object) -> str:
    kinds = [str(kind) for model in _models(shape) for kind in _kinds(model)]
    found = value.get("kind") if isinstance(value, Mapping) else None
    said = "missing" if found is None else f"found {shown(found)}"
    return f"{at}.kind: {said}, wanted one of {', '.join(kinds)}"


def _spot(loc: tuple[Key, ...], record: type[Record]) -> _Spot:
    """Follow a location of pydantic's: for a tagged union it names the tag, which is no key."""
    keys: tuple[Key, ...] = ()
    shape: object = record
    for piece in loc:
        models = _models(shape)
        if len(models) > 1:
            shape = next((model for model in models if piece in _kinds(model)), None)
            continue
        keys = (*keys, piece)
        shape = _inside(models[0], piece) if models else _item(shape)
    return _Spot(keys=keys, shape=shape)


def _inside(model: type[BaseModel], key: Key) -> object:
    field = model.model_fields.get(str(key))
    return field.annotation if field else None


def _item(shape: object) -> object:
    inner = get_args(_bare(shape))
    return inner[0] if inner else None


def _bare(shape: object) -> object:
    """Return the shape without its annotations and without "or null"."""
    while get_origin(shape) is Annotated:
        shape = get_args(shape)[0]
    if get_origin(shape) in (Union, UnionType):
        members = [member for member in get_args(shape) if member is not type(None)]
        if len(members) == 1:
            return _bare(members[0])
    return shape


def _models(shape: object) -> list[type[BaseModel]]:
    bare = _bare(shape)
    members = get_args(bare) if get_origin(bare) in (Union, UnionType) else (bare,)
    return [member for member in members if isinstance(member, type) and issubclass(member, BaseModel)]


def _kinds(model: type[BaseModel]) -> tuple[object, ...]:
    field = model.model_fields.get("kind")
    return get_args(field.annotation) if field else ()


def _wanted_of(shape: object) -> str:
    bare = _bare(shape)
    if get_origin(bare) is Literal:
        return " or ".join(repr(value) for value in get_args(bare))
    if bare is bool:
        return "true or false"
    words = {str: "text", int: "a whole number", float: "a number"}
    for kind, word in words.items():
        if bare is kind:
            return word
    return "a list" if get_origin(bare) is tuple else "keys and values"
