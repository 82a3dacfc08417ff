"""JSON Schema without anything that hangs or reaches out."""

import json
import socket
import time

import pytest

from harness.domain.checks import FitsSchema
from harness.graders.checks import check_holds, check_problem

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


def a_schema(fits, **fields):
    return FitsSchema.from_json(json.dumps({"kind": "json-schema", "fits": fits, **fields}))


def holds(schema, answer):
    return check_holds(a_schema(schema), answer)


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a schema check reached out")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize(
    ("answer", "fits"),
    [
        ('{"name": "Ada", "age": 36}', True),
        ('{"name": "Ada", "age": 36.0}', True),
        ('{"name": "Ada", "age": true}', False),
        ('{"name": "Ada", "age": -1}', False),
        ('{"age": 36}', False),
        ('{"name": "Ada", "x": 1}', False),
        ('{"name": "Ada", "name": "Bob"}', False),
        ("no JSON", False),
    ],
)
def test_the_answer_is_json_that_fits(answer, fits):
    assert holds(PERSON, answer) is fits


def test_a_fence_is_taken_off_only_where_it_is_allowed():
    fenced = '```json\n{"name": "Ada"}\n```'

    assert check_holds(a_schema(PERSON, fenced=True), fenced)
    assert not check_holds(a_schema(PERSON), fenced)


def test_the_dialect_is_the_one_the_schema_names():
    draft4 = {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer", "maximum": 3}

    assert holds({**draft4, "exclusiveMaximum": True}, "2")
    assert not holds({**draft4, "exclusiveMaximum": True}, "3")
    assert check_problem(a_schema({"type": "integer", "exclusiveMaximum": True})) is not None
    assert check_problem(a_schema({**draft4, "exclusiveMaximum": True})) is None


def test_references_inside_the_schema_are_followed():
    tree = {
        "$ref": "#/$defs/node",
        "$defs": {"node": {"type": "object", "additionalProperties": {"$ref": "#/$defs/node"}}},
    }

    assert check_problem(a_schema(tree)) is None
    assert holds(tree, '{"a": {"b": {}}}')
    assert not holds(tree, '{"a": {"b": 1}}')


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.test/person.json"},
        {"properties": {"a": {"items": {"$ref": "https://example.test/person.json"}}}},
        {"$ref": "file:///etc/hostname"},
        {"not": {"$ref": "#/$defs/missing"}},
        {"$ref": "other.json"},
    ],
)
def test_a_reference_that_leads_out_is_refused_and_never_fetched(schema):
    problem = check_problem(a_schema(schema))

    assert problem is not None
    assert "nothing is fetched" in problem


@pytest.mark.usefixtures("no_network")
def test_the_published_meta_schema_is_at_hand():
    meta = {"$ref": "https://json-schema.org/draft/2020-12/schema"}

    assert check_problem(a_schema(meta)) is None
    assert holds(meta, '{"type": "object"}')
    assert not holds(meta, '{"type": 3}')


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "objet"}, "no JSON Schema: at $.type"),
        ({"required": "name"}, "no JSON Schema: at $.required"),
        ({"$schema": "https://example.test/schema"}, "is no dialect of JSON Schema known here"),
        ({"$schema": 3}, "is no dialect"),
        ({"$ref": "#"}, "leads back to itself"),
        ({"properties": {"a": {"pattern": "(a)\\1"}}}, "RE2 cannot take"),
        ({"patternProperties": {"(?=a)": {}}}, "RE2 cannot take"),
        (
            {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
            "unevaluatedProperties beside patternProperties",
        ),
        ({"maximum": 2**60}, "no canonical JSON form"),
    ],
)
def test_a_schema_that_could_not_be_checked_is_refused(schema, complaint):
    problem = check_problem(a_schema(schema))

    assert problem is not None
    assert complaint in problem


def test_patterns_hold_somewhere_in_a_text():
    assert holds({"pattern": "b+"}, '"abbc"')
    assert not holds({"pattern": "^b+$"}, '"abbc"')
    assert holds({"pattern": "^b+$"}, "3")


def test_properties_are_matched_by_pattern_and_the_rest_is_additional():
    schema = {
        "properties": {"id": {"type": "string"}},
        "patternProperties": {"^n_": {"type": "integer"}},
        "additionalProperties": {"type": "boolean"},
    }

    assert holds(schema, '{"id": "x", "n_a": 1, "ok": true}')
    assert not holds(schema, '{"n_a": "1"}')
    assert not holds(schema, '{"ok": 1}')
    assert holds(schema, "[]")


@pytest.mark.parametrize(
    ("answer", "unique"),
    [
        ("[1, 2, 3]", True),
        ("[1, 1.0]", False),
        ("[1, true]", True),
        ("[0, false]", True),
        ('["1", 1]', True),
        ('[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]', False),
        ('[[1], {"1": 1}, []]', True),
        ("[[], {}, null, false]", True),
        ("[null, null]", False),
        ("[[[1, true]], [[1, 1]]]", True),
        ("3", True),
    ],
)
def test_items_are_unique_as_json_values(answer, unique):
    assert holds({"uniqueItems": True}, answer) is unique
    assert holds({"uniqueItems": False}, answer)


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"pattern": "(a+)+$"}, json.dumps("a" * 50_000 + "!")),
        ({"patternProperties": {"(a+)+$": False}}, json.dumps({"a" * 50_000 + "!": 1})),
        (
            {"additionalProperties": False, "patternProperties": {"(a+)+$": {}}},
            json.dumps({"a" * 50_000 + "!": 1}),
        ),
        ({"uniqueItems": True}, json.dumps([{"a": n} for n in range(20_000)])),
    ],
)
def test_no_answer_makes_a_schema_slow(schema, answer):
    started = time.process_time()

    check_holds(a_schema(schema), answer)

    assert time.process_time() - started < 5


def test_an_answer_nested_too_deeply_does_not_fit():
    tree = {"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}

    assert holds(tree, "[[[]]]")
    assert not holds(tree, "[" * 900 + "]" * 900)
