"""What every record has in common."""

from types import MappingProxyType

import pytest
from pydantic import ValidationError

from harness.domain.calls import Subject
from harness.domain.cases import Case
from harness.domain.record import freeze, thaw
from harness.domain.specs import EndpointSpec, SplitSpec


def test_a_record_does_not_change():
    case = Case(id="c", prompt="p")

    with pytest.raises(ValidationError):
        case.prompt = "q"  # type: ignore[misc]


def test_frozen_goes_all_the_way_down():
    endpoint = EndpointSpec.from_json(
        '{"backend": "recorded", "model": "m", "replies": "r", "sampling": {"stop": ["a"], "x": {"y": 1}}}'
    )

    assert endpoint.sampling["stop"] == ("a",)
    with pytest.raises(TypeError):
        endpoint.sampling["x"]["y"] = 2
    with pytest.raises(TypeError):
        endpoint.sampling["temperature"] = 0


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "c", "prompt": "p", "promt": "q"}',
        '{"id": 3, "prompt": "p"}',
        '{"id": "c", "prompt": "p", "weight": "2"}',
        '{"id": "c", "prompt": "p", "weight": true}',
        '{"id": "", "prompt": "p"}',
        '{"id": "c", "prompt": "p", "tags": "format"}',
        '{"id": "c", "prompt": "p", "weight": NaN}',
        '{"id": "c", "prompt": "p", "weight": 1e999}',
    ],
)
def test_an_unknown_field_a_wrong_type_and_a_number_that_is_none_are_refused(text):
    with pytest.raises(ValidationError):
        Case.from_json(text)


def test_a_whole_number_is_a_share_as_it_stands():
    assert SplitSpec.from_json('{"salt": "s", "held_out": 0, "by": "case"}').held_out == 0.0


def test_a_record_comes_back_from_its_own_json():
    subject = Subject(kind="case", id="c", arm="baseline", answer=2)

    assert Subject.from_json(subject.to_json()) == subject


def test_thawing_undoes_freezing():
    value = {"a": [1, {"b": [None]}]}

    assert thaw(freeze(value)) == value
    assert isinstance(freeze(value), MappingProxyType)
