"""The Markdown summary, read by a Markdown reader."""

import pytest
from markdown_it import MarkdownIt

from harness.report.markdown import code, prose, summary_markdown

READER = MarkdownIt("commonmark").enable("table")


def text_of(markdown):
    """What a reader sees of one line."""
    (paragraph,) = (token for token in READER.parse(markdown) if token.type == "inline")
    return "".join(token.content for token in paragraph.children)


def test_it_leads_with_the_verdict_and_the_interval(samples):
    lines = [line for line in summary_markdown(samples.full_report()).splitlines() if line]

    assert lines[0] == "## `xstest-llama2`: inconclusive (exploratory cases)"
    assert lines[2].startswith(
        r"**difference +5.3 points, 95% interval \[-0.2, +10.8\] (Tango score), n = 247"
    )


def test_every_table_is_a_table(samples):
    for report in (samples.full_report(), samples.hostile_report("a | b\n| --- |`|`")):
        markdown = summary_markdown(report)
        n_heads = sum(line.startswith("| ---") for line in markdown.splitlines())

        tokens = READER.parse(markdown)

        assert sum(token.type == "table_open" for token in tokens) == n_heads
        rows = [line for line in markdown.splitlines() if line.startswith("| ")]
        cells = sum(token.type in ("td_open", "th_open") for token in tokens)
        assert cells == sum(line.count(" | ") + 1 for line in rows if not line.startswith("| ---"))


@pytest.mark.parametrize(
    "text",
    [
        "[click](https://evil.example)",
        "![x](https://evil.example/x.png)",
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "see https://evil.example now",
        "www.evil.example",
        "mail to admin@evil.example, @octocat and #1",
        "**bold** _it_ ~~gone~~ $x$",
        "`code` ``more``",
        "&lt;b&gt; &copy;",
        "# head",
        "- item",
        "+ item",
        "1. item",
        "+",
        "---",
        "> quote",
        "back\\slash\\",
        "[ref]: https://evil.example",
        "a ] ( b",
    ],
)
def test_a_sentence_from_elsewhere_is_text_and_nothing_else(text):
    tokens = READER.parse(prose(text))

    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    kinds = {child.type for child in tokens[1].children}
    assert kinds <= {"text", "code_inline", "text_special"}
    assert text_of(prose(text)) == text


@pytest.mark.parametrize(
    "text", ["https://evil.example", "http:x", "www.evil.example", "a@b.example", "@octocat"]
)
def test_what_github_would_link_is_shown_as_code(text):
    (paragraph,) = (token for token in READER.parse(prose(text)) if token.type == "inline")

    assert [child.type for child in paragraph.children] == ["code_inline"]


@pytest.mark.parametrize("text", ["a`b", "``", "`", " x ", "a``b`c"])
def test_a_name_with_backticks_is_one_code_span(text):
    (paragraph,) = (token for token in READER.parse(code(text)) if token.type == "inline")

    assert [(child.type, child.content) for child in paragraph.children] == [("code_inline", text)]


def test_plain_sentences_stay_readable():
    text = "candidate: two models answered (95% of calls), p = 0.0031; not worse."

    assert prose(text) == text


def test_a_huge_report_stays_below_what_a_step_summary_may_hold(samples):
    assert len(summary_markdown(samples.hostile_report("x" * 100_000)).encode()) < 1024 * 1024
