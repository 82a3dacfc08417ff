"""The HTML page: alone, inert, accessible."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from harness.report.document import report_bytes
from harness.report.page import flattened, page

VOID = {"meta", "br"}
SHAPES = {"line", "rect", "circle"}


class Reader(HTMLParser):
    """Collects elements and text, and holds that every element is closed in order."""

    def __init__(self):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in SHAPES
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(report):
    reader = Reader()
    reader.feed(page(report))
    reader.close()
    assert reader.open == []
    return reader


def test_it_loads_nothing_and_runs_nothing(samples):
    for report in (samples.full_report(), samples.opened_report(), samples.invalid_report()):
        for tag, attributes in read(report).elements:
            assert tag not in {
                "script",
                "img",
                "link",
                "iframe",
                "object",
                "embed",
                "form",
                "a",
                "use",
                "base",
            }
            assert not {"src", "href", "style", "srcset", "action"} & set(attributes)
            assert not [name for name in attributes if name.startswith("on")]
        assert "url(" not in page(report)
        assert "@import" not in page(report)


def test_its_policy_allows_its_own_style_and_nothing_else(samples):
    text = page(samples.full_report())

    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = next(
        attributes["content"]
        for tag, attributes in read(samples.full_report()).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_what_has_no_verdict_is_counted_before_the_verdicts(samples):
    text = page(samples.full_report())

    assert text.index("failed 2, truncated 4") < text.index("No majority in an arm") < text.index("(loss)")


def test_every_plotted_estimate_can_be_heard(samples):
    plots = [
        attributes
        for tag, attributes in read(samples.full_report()).elements
        if attributes.get("role") == "img"
    ]

    assert plots[0]["aria-label"].startswith("+5.3 points, 95% interval [−0.2,")
    assert len(plots) == 9


def test_headings_do_not_skip_a_level_and_ids_are_unique(samples):
    elements = read(samples.opened_report()).elements
    levels = [int(tag[1]) for tag, _ in elements if re.fullmatch(r"h\d", tag)]
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert len(ids) == len(set(ids))


def test_it_names_the_bytes_it_shows(samples):
    report = samples.full_report()

    assert sha256(report_bytes(report)).hexdigest() in page(report)


def test_a_closed_held_out_part_is_counted_and_not_scored(samples):
    text = page(samples.full_report())

    assert "Held-out cases: 107" in text
    assert "They are in no number on this page." in text


def test_a_surviving_canary_is_open_on_the_page(samples):
    text = page(samples.invalid_report())

    assert "<details open>" in text
    assert "k-001" in text
    assert "not estimable: the arms were not called" in text


def test_the_same_report_gives_the_same_page(samples):
    assert page(samples.full_report()) == page(samples.full_report())


def test_a_long_flip_list_is_cut_and_says_so(samples):
    flip = samples.flips_block().cases[0]
    flips = tuple(flip.model_copy(update={"case": f"c-{number}"}) for number in range(5000))
    section = samples.section(flips=samples.flips_block().model_copy(update={"cases": flips}))

    text = page(samples.full_report(exploratory=section))

    assert "5,000 cases changed sides" in text
    assert "The others stand in report.json." in text
    assert len(text) < 200_000


@pytest.mark.parametrize(
    ("value", "pairs"),
    [
        ({"a": {"b": 1.5, "c": None}}, (("a.b", "1.5"), ("a.c", "null"))),
        ({"a": [1, 2], "b": []}, (("a", "1, 2"), ("b", "none"))),
        ({"a": [{"b": True}, [3]]}, (("a[0].b", "yes"), ("a[1]", "3"))),
        ({}, ()),
    ],
)
def test_open_objects_are_shown_as_paths_and_values(value, pairs):
    assert flattened(value) == pairs
