"""JSON Schema, without what could hang or reach out.

Patterns go through RE2 and uniqueness through a set, so no answer can make a
check slow; references are resolved inside the schema and among the published
meta-schemas, and nothing is ever fetched.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.errors import InputError
from harness.domain.record import thaw
from harness.graders.folding import shown
from harness.graders.text_checks import compiled, pattern_problem

# jsonschema costs 0.1 s to import; only those whose cases have a schema pay.
if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_PROBES: tuple[Any, ...] = (None, True, 0, "", [], [""], {}, {"": ""})
_DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether the JSON value fits the schema.

    The dialect is the one that ``$schema`` names, 2020-12 where it names none.
    A value that is nested too deeply to be checked does not fit. ``format`` is
    an annotation, as the standard has it, and is not checked.

    References:
        JSON Schema 2020-12, https://json-schema.org/draft/2020-12
    """
    try:
        return _validator(canonical_bytes(schema)).is_valid(value)
    except RecursionError:
        return False


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """Return why answers could not be checked against the schema, or null."""
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    named = schema.get("$schema", _DEFAULT_DIALECT)
    if not isinstance(named, str) or _dialect(named) is None:
        return f"$schema: {shown(str(named))} is no dialect of JSON Schema known here"
    try:
        validator = _validator(canonical_bytes(schema))
        document = thaw(schema)
        type(validator).check_schema(document)
        unsafe = _unsafe_pattern(document)
        if unsafe is None:
            _resolve_all(document)
            for probe in _PROBES:
                validator.is_valid(probe)
    except SchemaError as error:
        return f"no JSON Schema: at {error.json_path}: {error.message}"[:300]
    except Unresolvable as error:
        return f"$ref: {shown(error.ref)} is not in the schema, and nothing is fetched"
    except InputError as error:
        return str(error)
    except RecursionError:
        return "a $ref that leads back to itself"
    return unsafe


def _unsafe_pattern(node: Any) -> str | None:
    """Look into everything, also where no keyword stands: a needless complaint is better than a hang."""
    if isinstance(node, list):
        return next((found for found in map(_unsafe_pattern, node) if found), None)
    if not isinstance(node, dict):
        return None
    beside = node.get("patternProperties")
    patterns = [node["pattern"]] if isinstance(node.get("pattern"), str) else []
    patterns += list(beside) if isinstance(beside, dict) else []
    found = next((problem for problem in map(pattern_problem, patterns) if problem), None)
    if found is None and beside and "unevaluatedProperties" in node:
        return "unevaluatedProperties beside patternProperties is not supported; use additionalProperties"
    return found or _unsafe_pattern(list(node.values()))


def _resolve_all(document: dict[str, Any]) -> None:
    from referencing import Resource
    from referencing.jsonschema import specification_with

    dialect = specification_with(document.get("$schema", _DEFAULT_DIALECT))
    root: Resource[Any] = Resource.from_contents(document, default_specification=dialect)
    registry = _published().with_resource(root.id() or "", root).crawl()
    pending = [(root, registry.resolver_with_root(root))]
    while pending:
        resource, resolver = pending.pop()
        if isinstance(resource.contents, dict) and isinstance(resource.contents.get("$ref"), str):
            resolver.lookup(resource.contents["$ref"])
        pending += [(inner, resolver.in_subresource(inner)) for inner in resource.subresources()]


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> "Validator":
    document = strict_json(schema)
    dialect = _dialect(document.get("$schema", _DEFAULT_DIALECT))
    if dialect is None:
        raise InputError("$schema: no dialect of JSON Schema known here")
    return dialect(document, registry=_published())


def _published() -> Any:
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    return REGISTRY


@lru_cache(maxsize=16)
def _dialect(name: str) -> "type[Validator] | None":
    from jsonschema import validators

    found = validators.validator_for({"$schema": name}, default=None)  # type: ignore[arg-type]
    if found is None:
        return None
    own = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }
    extended: type[Validator] = validators.extend(found, own)  # type: ignore[no-untyped-call]
    return extended


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Exception]:
    if validator.is_type(instance, "string") and compiled(pattern).search(instance) is None:
        yield _unfit("pattern")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Exception]:
    if validator.is_type(instance, "object"):
        for pattern, inner in patterns.items():
            for name, value in instance.items():
                if compiled(pattern).search(name) is not None:
                    yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Exception]:
    if validator.is_type(instance, "object"):
        patterns = [compiled(pattern) for pattern in schema.get("patternProperties", {})]
        for name, value in instance.items():
            if name not in schema.get("properties", {}) and not any(each.search(name) for each in patterns):
                yield from validator.descend(value, allowed, path=name)


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[Exception]:
    if not wanted or not validator.is_type(instance, "array"):
        return
    if len({_hashable(item) for item in instance}) != len(instance):
        yield _unfit("uniqueItems")


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return ("object", frozenset((name, _hashable(item)) for name, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(_hashable(item) for item in value))
    # 1 and 1.0 are one number; true is none.
    return ("boolean", value) if isinstance(value, bool) else value


def _unfit(keyword: str) -> Exception:
    from jsonschema.exceptions import ValidationError

    return ValidationError(keyword)
