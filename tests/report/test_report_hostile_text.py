"""Hostile text in every place where foreign text can stand is inert in every output."""

from html.parser import HTMLParser
from xml.etree.ElementTree import fromstring

import pytest
from markdown_it import MarkdownIt

from harness.report.document import read_report, report_bytes
from harness.report.junit import junit
from harness.report.markdown import summary_markdown
from harness.report.page import page
from harness.report.terminal import terminal_summary

OUTPUTS = {"terminal": terminal_summary, "markdown": summary_markdown, "page": page, "junit": junit}
HOSTILE = {
    "markup": "</style></title></code><script>alert(1)</script><img src=x onerror=alert(1)>",
    "an attribute": '" onmouseover="alert(1)" x=\'',
    "a template": "{{ 7*7 }}{% include '/etc/passwd' %}${7*7}",
    "a terminal escape": "\x1b[2J\x1b]0;owned\x07\x9b31mred\x08\x08",
    "a terminal link": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "a Markdown link": "[click](https://evil.example) ![x](https://evil.example/x.png)",
    "a bare link": "https://evil.example www.evil.example admin@evil.example",
    "a table": "a | b |\n| --- | --- |\n| c | d",
    "a formula": '=HYPERLINK("https://evil.example")',
    "a bidi override": "safe\u202egnp.exe\u2066\u2069\u200f",
    "line ends": "one\r\ntwo\u2028three\x85four\x0bfive",
    "binary": "".join(chr(code) for code in range(256)),
    "a lone non-character": "\ufffe\uffff\U0010ffff",
    "huge": "A" * 300_000,
    "a path": "../../../etc/passwd\x00.json",
    "a workflow command": "\n::error file=x::owned\n::add-mask::x",
}
UNSEEN = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))} - {"\n"}
TURNING = set("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff\ufffe")


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))


def elements(text):
    reader = Elements()
    reader.feed(text)
    return reader.found


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_no_output_holds_a_character_that_acts(samples, output, text):
    shown = output(samples.hostile_report(text))

    assert not UNSEEN & set(shown)
    assert not TURNING & set(shown)
    shown.encode("utf-8")
    assert len(shown) < 500_000


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_page_has_the_same_elements_whatever_the_text(samples, text):
    assert elements(page(samples.hostile_report(text))) == elements(page(samples.hostile_report("plain")))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_markdown_has_no_link_image_or_html_whatever_the_text(samples, text):
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(summary_markdown(samples.hostile_report(text)))
    inner = [child for token in tokens for child in token.children or ()]

    kinds = {token.type for token in (*tokens, *inner)}
    assert not kinds & {"link_open", "image", "html_block", "fence", "code_block", "blockquote_open"}
    assert {child.content for child in inner if child.type == "html_inline"} <= {"<br>"}
    linked = [child.content for child in inner if child.type == "text" and "evil.example" in child.content]
    assert linked == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_junit_is_well_formed_and_keeps_its_shape(samples, text):
    suite = fromstring(junit(samples.hostile_report(text)))

    assert [[child.tag for child in case] for case in suite] == [["failure"], ["failure"], ["skipped"]]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_report_itself_keeps_the_text_as_it_came(samples, text):
    report = samples.hostile_report(text)

    assert read_report(report_bytes(report)) == report


def test_no_line_begins_with_a_workflow_command(samples):
    shown = terminal_summary(samples.hostile_report(HOSTILE["a workflow command"]))

    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]
