"""Which texts count as one word: the written rule for case, width and invisible characters."""

import unicodedata

AROUND = " \t*_`\"'“”‘’"
"""White space, Markdown emphasis and quotes: what may stand around a word without being part of it."""


def visible(text: str) -> str:
    """Return the text as a reader sees it: no format characters, compatibility forms folded.

    Characters of category Cf (zero-width spaces, byte order marks, direction
    marks) are removed; NFKC turns full-width and other compatibility forms
    into their plain ones. Look-alikes of another script stay what they are.

    References:
        Unicode Standard Annex #15 (NFKC); UnicodeData, general category Cf.
    """
    if text.isascii():
        return text
    # What is printable holds no format character: most texts are, their lines apart.
    if not text.replace("\n", " ").isprintable():
        text = text.translate({ord(char): None for char in set(text) if unicodedata.category(char) == "Cf"})
    return unicodedata.normalize("NFKC", text)


def folded(text: str) -> str:
    """Return the text in the form in which two spellings of one word are equal."""
    shown = visible(text).casefold()
    return shown if shown.isascii() else unicodedata.normalize("NFKC", shown)


def trimmed(text: str) -> str:
    """Return the text without what stands around it.

    Markdown emphasis, quotes and white space, and one full stop at its end.
    """
    bare = text.strip(AROUND)
    return bare.removesuffix(".").strip(AROUND)


def shown(text: str, *, n_chars: int = 60) -> str:
    """Return the text quoted and escaped for a message, so that look-alikes can be told apart."""
    return ascii(text if len(text) <= n_chars else text[: n_chars - 3] + "...")
