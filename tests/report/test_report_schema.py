"""The published JSON Schemas."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

from harness.report.document import report_bytes
from harness.report.schema import schemas

COMMITTED = Path(__file__).parents[2] / "docs" / "schemas"


def test_the_committed_schemas_are_current():
    committed = {path.stem: path.read_text(encoding="utf-8") for path in COMMITTED.glob("*.json")}

    assert committed == schemas()


@pytest.mark.parametrize("name", schemas())
def test_every_schema_is_valid_and_names_itself(name):
    schema = json.loads(schemas()[name])

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:judge-harness:schema:{name}:1"
    assert schema["additionalProperties"] is False


def test_reports_fit_their_schema(samples):
    validator = Draft202012Validator(json.loads(schemas()["report"]))

    for report in (samples.full_report(), samples.opened_report(), samples.invalid_report()):
        validator.validate(json.loads(report_bytes(report)))


def test_a_report_with_a_field_too_many_or_too_few_does_not_fit(samples):
    validator = Draft202012Validator(json.loads(schemas()["report"]))
    document = json.loads(report_bytes(samples.full_report()))

    with pytest.raises(ValidationError):
        validator.validate({**document, "signature": "trust me"})
    for field in ("held_out", "schema_version"):
        with pytest.raises(ValidationError):
            validator.validate({key: value for key, value in document.items() if key != field})


def test_objects_whose_keys_are_free_are_still_objects(samples):
    schema = json.loads(schemas()["report"])

    assert schema["$defs"]["EndpointBlock"]["properties"]["sampling"]["type"] == "object"
    assert {"type": "null"} in schema["properties"]["human_scale"]["anyOf"]
    assert schema["properties"]["human_scale"]["anyOf"][0] == {"$ref": "#/$defs/HumanScaleBlock"}


def test_a_file_people_write_may_leave_defaults_out():
    Draft202012Validator(json.loads(schemas()["case"])).validate({"id": "r-0012", "prompt": "Name a prime."})


def test_a_case_with_an_unknown_key_does_not_fit():
    with pytest.raises(ValidationError):
        Draft202012Validator(json.loads(schemas()["case"])).validate(
            {"id": "r-0012", "promt": "Name a prime."}
        )
