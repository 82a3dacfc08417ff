"""One Markdown fence around all of a text, or none."""

import pytest

from harness.graders.fences import unfenced


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("```json\n{}\n```", "{}"),
        (" ```\na\r\n\r\nb\r\n``` \n", "a\r\n\r\nb\r"),
        ("````\n```\ninner\n```\n````", "```\ninner\n```"),
        ('```json\n{"x": "```"}\n```', '{"x": "```"}'),
        ("```\n```", ""),
    ],
)
def test_what_stands_inside_the_one_fence_comes_out(text, inside):
    assert unfenced(text) == inside


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "```",
        "```json {}```",
        "```\na",
        "a\n```\nb\n```",
        "```\na\n```\nb",
        "```\na\n```\n```\nb\n```",
        "```\na\n````",
        "```a b\nc\n```",
    ],
)
def test_a_fence_that_does_not_span_the_whole_text_is_none(text):
    assert unfenced(text) is None
