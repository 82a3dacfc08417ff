"""How every page is made: one style, every text inert and escaped, nothing fetched, nothing run."""

import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.report import words
from harness.report.inert import inert, name

_MINUS = re.compile(r"(?<![^ \[])-(?=\d)")
_EQUATION = re.compile(r"\b([pqn]) ([=<>≤]) ")
_PAIR = re.compile(r"(\[[+−]?[\d.]+,) ")


@lru_cache(maxsize=1)
def page_style() -> Markup:
    """Return the style that every page carries."""
    return Markup(files("harness.report").joinpath("templates/report.css").read_text(encoding="utf-8"))


def page_style_digest() -> str:
    """Return the digest by which a page's policy lets its own style in, and no other."""
    return b64encode(sha256(page_style().encode()).digest()).decode()


def page_environment() -> Environment:
    """Return a new environment in which every text is made inert before it is escaped."""
    environment = Environment(
        loader=PackageLoader("harness.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"name": name, "count": words.count, "typeset": typeset}
    environment.globals |= {"words": words}
    return environment


def _finalize(value: object) -> object:
    """Make every text inert before it is escaped; what is markup already passed through here."""
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def typeset(text: str) -> str:
    """Return the text with true minus signs, and with nothing torn apart at a line's end."""
    text = _MINUS.sub("−", text)
    text = _EQUATION.sub("\\1\u00a0\\2\u00a0", text)
    return _PAIR.sub("\\1\u00a0", text)
