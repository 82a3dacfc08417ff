"""A judge: its settings and its frozen prompt."""

from pathlib import Path
from typing import NamedTuple

from harness.domain.canonical import text_digest
from harness.domain.errors import InputError
from harness.domain.files import read_text
from harness.domain.specs import JudgeSpec
from harness.inputs.toml import line_of, placed, read_toml


class Judge(NamedTuple):
    """A judge, read. ``paths`` are the files it was read from; the last is the prompt."""

    spec: JudgeSpec
    prompt: str
    paths: tuple[Path, Path]


def read_judge(folder: Path) -> Judge:
    """Read ``judge.toml`` and the prompt beside it.

    A frozen prompt is never edited: its digest stands in ``judge.toml``, and
    another text is another version. The digest is over the text with LF ends.

    Args:
        folder: The judge's folder, or its ``judge.toml``.

    Raises:
        InputError: One of the files is wrong, or the prompt is not the one that
            ``prompt_sha256`` names.
    """
    toml = folder if folder.suffix == ".toml" else folder / "judge.toml"
    spec = read_toml(toml, JudgeSpec)
    path = toml.parent / spec.prompt
    prompt = read_text(path)
    _refuse_other_prompt(spec, prompt, toml=toml)
    return Judge(spec=spec, prompt=prompt, paths=(toml, path))


def _refuse_other_prompt(spec: JudgeSpec, prompt: str, *, toml: Path) -> None:
    found = text_digest(prompt)
    if found == spec.prompt_sha256:
        return
    place = placed(toml, line_of(read_text(toml), ("prompt_sha256",)))
    raise InputError(
        f"{place}: prompt_sha256: {spec.prompt} has {found}, wanted {spec.prompt_sha256}; "
        "a changed prompt is a new judge version with its own digest and its own why"
    )
