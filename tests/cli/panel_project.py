"""A small project whose answers three judges vote on, from files of recorded votes."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.cli.small_project import JUDGE_USE, N_CASES, write_project, write_rows

Says = Callable[[str, str, str | None], str]
"""What a judge says, from the kind and id of what it is shown, and the arm."""

_SEAT = """
[[panel]]
name = "{name}"
spec = "judges/strict"

[panel.endpoint]
backend = "recorded"
model = "m-{name}"
replies = "votes-{name}.jsonl"
"""


def right(kind: str, name: str, arm: str | None) -> str:
    """A judge that sees every answer for what it is."""
    return "bad" if name == "k1" or arm == "baseline" else "good"


def always_good(kind: str, name: str, arm: str | None) -> str:
    """A judge that passes everything."""
    return "good"


def unreadable(kind: str, name: str, arm: str | None) -> str:
    """A judge that keeps to no form, except about canaries and anchors."""
    return "Hard to say." if kind == "case" else right(kind, name, arm)


def write_panel(
    root: Path,
    judges: Mapping[str, Says],
    *,
    votes: int = 1,
    canaries: bool = True,
    held_out: bool = True,
) -> Path:
    """Write the project with these judges as its panel, and return its experiment file."""
    experiment = write_project(root, judged=True)
    text = experiment.read_text("utf-8").replace("votes = 1", f"votes = {votes}").replace(JUDGE_USE, "")
    seats = "".join(_SEAT.format(name=name) for name in judges)
    experiment.write_text(text + seats, encoding="utf-8")
    if not canaries:
        (root / "gold/small/canaries.jsonl").unlink()
    if not held_out:
        settings = root / "gold/small/set.toml"
        settings.write_text(settings.read_text("utf-8").replace("held_out = 0.4", "held_out = 0.0"))
    for name, says in judges.items():
        write_rows(root / f"votes-{name}.jsonl", _votes(name, says, votes))
    return experiment


def _votes(judge: str, says: Says, votes: int) -> Iterator[Mapping[str, object]]:
    cases = [f"c{number:02}" for number in range(N_CASES)]
    about: list[tuple[str, str, str | None]] = [
        ("canary", "k1", None),
        ("canary", "k2", None),
        ("anchor", "a1", None),
    ]
    about += [("case", case, arm) for case in cases for arm in ("baseline", "candidate")]
    for kind, name, arm in about:
        for repeat in range(votes):
            row: dict[str, object] = {"kind": kind, "id": name, "repeat": repeat, "model": f"m-{judge}"}
            row |= {"arm": arm, "answer": 0} if arm else {}
            yield row | {"content": f"So.\n{says(kind, name, arm)}"}
