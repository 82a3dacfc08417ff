"""One-pass substitution of ``$name`` in a prompt template.

Only the template is searched. What is put in is never searched again, so a
case or an answer that holds ``$answer``, ``{{ }}`` or ``{% %}`` arrives
character for character; no template engine ever runs over foreign text.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from harness.domain.errors import InputError

_DOLLAR = re.compile(r"\$(?:(?P<escaped>\$)|(?P<plain>[A-Za-z_][A-Za-z0-9_]*)|\{(?P<braced>[^{}\n]*)\})?")


def fill(template: str, values: Mapping[str, str | None]) -> str:
    """Return the template with every ``$name`` or ``${name}`` replaced, in one pass.

    ``$$`` is a dollar sign.

    Args:
        template: The template text.
        values: What each placeholder stands for; null where the case has nothing.

    Raises:
        InputError: A placeholder that ``values`` does not know or has nothing
            for, or a dollar sign that starts no placeholder.
    """
    complaint = template_problem(template, known=values) or missing_value(template, values)
    if complaint is not None:
        raise InputError(complaint)
    return _DOLLAR.sub(lambda found: "$" if found["escaped"] else (values[_name(found)] or ""), template)


# A run has few templates, and each is filled once for every case or answer.
@lru_cache(maxsize=256)
def placeholders(template: str) -> tuple[str, ...]:
    """Return the names that the template mentions, each once, in their order."""
    names = (_name(found) for found in _DOLLAR.finditer(template) if not found["escaped"])
    return tuple(dict.fromkeys(name for name in names if name))


def template_problem(template: str, *, known: Iterable[str]) -> str | None:
    """Return what is wrong with the template itself, or null.

    Args:
        template: The template text.
        known: The names it may mention.
    """
    return _problem(template, tuple(known))


@lru_cache(maxsize=256)
def _problem(template: str, known: tuple[str, ...]) -> str | None:
    for found in _DOLLAR.finditer(template):
        if found["escaped"]:
            continue
        name = _name(found)
        line = template.count("\n", 0, found.start()) + 1
        if not name:
            return f"line {line}: a dollar sign that starts no placeholder; $$ stands for a dollar sign"
        if name not in known:
            wanted = ", ".join(f"${word}" for word in sorted(known))
            return f"line {line}: unknown placeholder ${name}; wanted one of {wanted}"
    return None


def missing_value(template: str, values: Mapping[str, str | None]) -> str | None:
    """Return which placeholder of the template has no value, or null."""
    for name in placeholders(template):
        if name in values and values[name] is None:
            return f"the template mentions ${name}, and there is no {name}"
    return None


def _name(found: re.Match[str]) -> str:
    return found["plain"] or (found["braced"] or "").strip()
