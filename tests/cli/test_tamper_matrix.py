"""Whatever is changed after signing is caught and named; what was not changed never is."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cli.held_out import open_held_out
from harness.cli.project import lock_experiment
from harness.cli.run import make_report, run_experiment
from harness.cli.run_files import write_reports
from harness.cli.sign import sign_run
from harness.domain.canonical import canonical_bytes
from harness.domain.report import Provenance
from harness.report.keys import make_key, write_key_pair
from tests.cli.small_project import write_project
from tests.cli.tampering import EDITS, Edit, Place

DOCS = Path(__file__).parents[2] / "docs" / "verification.md"
_KEY = make_key("p256")


def _signed_run(root: Path, name: str, *, answer: str) -> Path:
    experiment = write_project(root / name, answer=answer)
    lock_experiment(experiment)
    run = run_experiment(experiment, root / name / "run", locked=True)
    write_reports(run, make_report(run))
    open_held_out(run=run, gold=None, yes=True, as_json=True)
    sign_run(run, _KEY, gold=None, replace=False, throwaway=False)
    return run


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two signed runs and the public half of their key."""
    root = tmp_path_factory.mktemp("signed")
    _signed_run(root, "small", answer="I {verb} it ({id}).")
    _signed_run(root, "other", answer="Well, I {verb} it ({id}).")
    write_key_pair(root / "signer.key", _KEY)
    return root


@pytest.fixture
def place(signed: Path, tmp_path: Path) -> Place:
    """A copy of both runs that may be spoilt."""
    shutil.copytree(signed, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("store"))
    project = tmp_path / "small"
    return Place(project=project, run=project / "run", other=tmp_path / "other" / "run", key=_KEY)


def _verify(harness, place: Place, *words: str | Path):
    key = place.project.parent / "signer.pub"
    called = harness("verify", place.run, "--key", key, "--json", *words)
    return called, json.loads(called.out)


def _broken(found: dict[str, Any]) -> list[str]:
    return [f"{c['what']}: {c['detail']}" for c in found["claims"] if c["standing"] == "broken"]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.what)
def test_every_edit_is_caught_and_named(harness, place, edit):
    edit.do(place)
    called, found = _verify(harness, place, "--recompute", "--inputs", place.project)

    assert (called.code, found["result"]) == (4, "TAMPERED")
    assert any(edit.caught in told for told in _broken(found)), _broken(found)


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value[:-1]}{'0' if value[-1:] != '0' else '1'}"
    if isinstance(value, list):
        return value[:-1] if value else [0]
    return {} if value else {"x": 1}


def _fields() -> Iterator[tuple[str, str]]:
    """Name every field of every file that is signed."""
    schemas = Path(__file__).parents[2] / "docs" / "schemas"
    files = {
        "report.json": "report",
        "manifest.json": "manifest",
        "plan.json": "plan",
        "evidence.jsonl": "evidence",
        "timings.jsonl": "timing",
        "look.json": "look",
        "looks.jsonl": "look",
        "exposures.jsonl": "exposure",
        "experiment.lock.json": "lock",
    }
    for name, schema in files.items():
        for field in json.loads((schemas / f"{schema}.json").read_text("utf-8"))["properties"]:
            yield name, field
    yield from (("origin.json", field) for field in ("gold", "kind"))
    yield from (("provenance.json", field) for field in Provenance.model_fields)
    yield from (("environment.json", field) for field in ("python", "platform", "packages"))
    yield from (("commitments.json", field) for field in ("merkle_root", "n_lines", "n_records"))


@pytest.mark.parametrize(("name", "field"), tuple(_fields()))
def test_every_field_of_every_signed_file_is_signed(harness, place, name, field):
    path = place.run / name
    head, mark, rest = path.read_bytes().partition(b"\n")
    whole = name.endswith(".json")
    document = json.loads(path.read_bytes() if whole else head)
    document[field] = _changed(document.get(field))
    path.write_bytes(canonical_bytes(document) + (b"" if whole else mark + rest))
    called, found = _verify(harness, place)

    assert called.code == 4
    assert any(told.startswith(f"{name}: found sha256") for told in _broken(found))


def test_an_untouched_run_passes(harness, place):
    called, found = _verify(harness, place, "--recompute", "--inputs", place.project)

    assert (called.code, found["result"], _broken(found)) == (0, "PASS", [])
    assert {claim["standing"] for claim in found["claims"]} == {"holds"}


def test_a_copy_without_its_project_passes(harness, place, tmp_path):
    shutil.copytree(place.run, tmp_path / "elsewhere" / "deep" / "copy")
    called, found = _verify(
        harness, place._replace(run=tmp_path / "elsewhere" / "deep" / "copy"), "--recompute"
    )

    assert (called.code, found["result"]) == (0, "PASS")
    assert [c["what"] for c in found["claims"] if c["standing"] == "not_checked"] == [
        "inputs",
        "ledger",
        "exposures",
    ]


def test_files_read_as_text_may_have_the_line_ends_of_another_platform(harness, place):
    texts = [place.run / name for name in ("report.html", "summary.md", "junit.xml")]
    texts += [place.project / name for name in ("experiment.toml", "replies.jsonl")]
    texts += [*(place.project / "gold" / "small").iterdir(), place.project.parent / "signer.pub"]
    for path in texts:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    called, found = _verify(harness, place, "--recompute", "--inputs", place.project)

    assert (called.code, _broken(found)) == (0, [])


def test_looks_after_the_signature_are_no_tampering(harness, place):
    run = run_experiment(place.project / "experiment.toml", place.project / "run2", locked=True)
    harness("open-held-out", run, "--yes")
    assert len((place.project / "gold/small/looks.jsonl").read_bytes().splitlines()) == 2

    assert _verify(harness, place)[0].code == 0


def test_the_order_and_company_of_verifications_change_nothing(harness, place):
    other = place._replace(run=place.other)
    alone = [_verify(harness, each)[1]["result"] for each in (place, other)]
    again = [_verify(harness, each)[1]["result"] for each in (other, place, other)]

    assert alone + again == ["PASS"] * 5


def test_the_documented_table_is_this_matrix():
    rows = "".join(f"| {edit.what} | {_cell(edit)} |\n" for edit in EDITS)

    assert rows in DOCS.read_text("utf-8"), f"wanted in {DOCS.name}:\n{rows}"
    assert len({edit.what for edit in EDITS}) == len(EDITS) >= 40


def _cell(edit: Edit) -> str:
    return f"`{edit.caught.strip().removesuffix(':')}`"
