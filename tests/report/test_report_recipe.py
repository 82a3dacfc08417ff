"""The page tells how to verify a report without us, in the words that the tests run."""

import html
import re
from pathlib import Path

from harness.report.page import page

DOCS = Path(__file__).parents[2] / "docs" / "verification.md"


def test_the_footer_prints_the_documented_recipe(samples):
    recipe = re.search(r"<!-- openssl recipe -->\n```sh\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    printed = re.search(r"<pre>(.*?)</pre>", page(samples.full_report()), re.DOTALL)

    assert recipe is not None
    assert printed is not None
    assert html.unescape(printed[1]) == recipe[1]
