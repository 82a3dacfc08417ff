"""A copy may withhold texts: nothing of them is left in it, and every number still follows."""

import json
import re
import shutil
from pathlib import Path

import pytest

from harness.report.keys import make_key, write_key_pair
from tests.cli.marked_project import KINDS, mark, sign_marked_run

_KEY = make_key("p256")
_MARK = re.compile(rb"MARK-([a-z]+)-([a-z0-9]+)-")
_ALL = {f"c{number:02}" for number in range(24)}
_PLANTED = {"k1", "k2", "a1"}


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a signed run, opened, and the public half of its key."""
    root = tmp_path_factory.mktemp("signed")
    sign_marked_run(root, _KEY)
    write_key_pair(root / "signer.key", _KEY)
    return root


@pytest.fixture
def redact(harness, signed, tmp_path):
    """Make a copy of the run with these words, and return where it is."""

    def copy(*words: str) -> Path:
        assert harness("redact", signed / "run", "--out", tmp_path / "copy", *words).code == 0
        return tmp_path / "copy"

    return copy


def _verify(harness, signed: Path, run: Path, *words: object):
    called = harness("verify", run, "--key", signed / "signer.pub", "--recompute", "--json", *words)
    return called, json.loads(called.out)


def _said(found, what: str) -> str:
    return next(claim["detail"] for claim in found["claims"] if claim["what"] == what)


def _marks(folder: Path) -> set[tuple[str, str]]:
    """Return which texts of which items stand in any file of a folder."""
    return {
        (kind.decode(), item.decode())
        for path in folder.rglob("*")
        if path.is_file()
        for kind, item in _MARK.findall(path.read_bytes())
    }


def test_the_run_itself_holds_every_marker(signed):
    found = _marks(signed / "run")

    assert {(kind, "c00") for kind in KINDS} <= found
    assert {item for _, item in found} == _ALL | _PLANTED


def test_no_withheld_text_stands_anywhere_in_the_copy(redact):
    assert _marks(redact()) == set()


def test_a_copy_comes_to_the_same_decision_and_numbers(harness, signed, redact):
    whole, of_whole = _verify(harness, signed, signed / "run")
    copy, of_copy = _verify(harness, signed, redact())

    assert (whole.code, copy.code, of_copy["result"]) == (0, 0, "PASS")
    assert of_copy["verdict"] == of_whole["verdict"] == "improvement"
    assert "byte by byte" in _said(of_copy, "recompute")


def test_the_inputs_of_a_copy_make_the_plan_that_was_signed(harness, signed, redact):
    called, found = _verify(harness, signed, redact(), "--inputs", signed)

    assert called.code == 0
    assert "make it again" in _said(found, "plan")


def test_answers_that_checks_graded_are_withheld_with_what_the_checks_came_to(harness, signed, tmp_path):
    run = sign_marked_run(tmp_path, _KEY, judged=False)
    for number, words in enumerate(((), ("--withhold", "answers"), ("--withhold", "references"))):
        copy = tmp_path / f"copy{number}"
        harness("redact", run, "--out", copy, *words)
        called, found = _verify(harness, signed, copy)

        assert (called.code, found["verdict"]) == (0, "improvement")
        assert _said(found, "verdicts").startswith("0 of 48 were read again")


def test_a_copy_says_how_many_verdicts_nobody_read_again(harness, signed, redact):
    _, found = _verify(harness, signed, redact("--case", "c00", "--withhold", "replies"))

    assert _said(found, "verdicts").startswith("46 of 51 were read again from their texts; 5 are carried")
    assert "the carried verdicts follow from the withheld texts" in found["proves"]


@pytest.mark.parametrize(
    ("words", "kinds", "items"),
    [
        (("--case", "c03"), set(KINDS), {"c03"}),
        (("--tag", "even"), set(KINDS), {item for item in _ALL if int(item[1:]) % 2 == 0}),
        (("--withhold", "prompts"), {"prompt"}, _ALL),
        (("--withhold", "references"), {"reference", "why"}, _ALL),
        (("--withhold", "answers"), {"answer"}, _ALL),
        (("--withhold", "replies", "--withhold", "answers"), {"answer", "reply"}, _ALL),
        (("--case", "c03", "--case", "c04", "--withhold", "replies"), {"reply"}, {"c03", "c04"}),
    ],
)
def test_only_what_was_selected_is_withheld(harness, signed, redact, words, kinds, items):
    copy = redact(*words)
    # A canary or an anchor may repeat a case's text: theirs go with every selection.
    hidden = {(kind, item) for kind in kinds for item in items | _PLANTED}

    assert _marks(copy) == _marks(signed / "run") - hidden
    assert _verify(harness, signed, copy)[0].code == 0


def test_templates_and_the_judges_prompt_are_withheld_on_request(redact):
    shown, hidden = b"Verdict last.", redact("--withhold", "judge-prompt", "--withhold", "templates")

    assert not [path.name for path in hidden.iterdir() if shown in path.read_bytes()]


def test_the_name_of_a_request_goes_with_any_text_in_it(signed, redact):
    names = [json.loads(line) for line in (signed / "run/evidence.jsonl").read_text().splitlines()]
    copy = redact("--case", "c05", "--withhold", "prompts")
    text = b"".join(path.read_bytes() for path in copy.iterdir())
    about = [(record["subject"]["id"], record["request"].encode() in text) for record in names]

    assert {shown for item, shown in about if item == "c05"} == {False}
    assert all(shown for item, shown in about if item not in {"c05", *_PLANTED})


def test_an_answer_is_not_told_by_a_digest_of_its_text(signed, redact):
    shown = {
        digest
        for line in (signed / "run/evidence.jsonl").read_text().splitlines()
        for digest in json.loads(line)["shown"]
    }
    text = b"".join(path.read_bytes() for path in redact("--withhold", "answers").iterdir())

    assert shown
    assert not [digest for digest in shown if digest.encode() in text]


def test_a_prompt_is_not_told_by_a_digest_of_its_text(signed, redact):
    record = json.loads((signed / "run/exposures.jsonl").read_text().splitlines()[0])
    text = b"".join(path.read_bytes() for path in redact("--withhold", "prompts").iterdir())

    assert record["cases"]
    assert not [case["id"] for case in record["cases"] if case["prompt"].encode() in text]


def test_what_no_look_has_opened_is_never_in_a_copy(harness, tmp_path):
    run = sign_marked_run(tmp_path, _KEY, opened=False)
    held_out = set(json.loads((run / "plan.json").read_bytes())["held_out"])
    assert harness("redact", run, "--out", tmp_path / "copy", "--withhold", "judge-prompt").code == 0

    assert {item for _, item in _marks(tmp_path / "copy")} == (_ALL | _PLANTED) - held_out


def test_the_same_copy_is_made_again_to_the_byte(harness, signed, redact, tmp_path):
    harness("redact", signed / "run", "--out", tmp_path / "again")

    assert (redact() / "redacted.jsonl").read_bytes() == (tmp_path / "again/redacted.jsonl").read_bytes()


def test_the_secret_is_the_owners_and_stays_there(signed, redact):
    secret = signed / "run" / "redaction.key"
    copy = redact()

    assert secret.stat().st_mode & 0o777 == 0o600
    assert not [path.name for path in copy.iterdir() if secret.read_bytes().strip() in path.read_bytes()]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--case", "c99"), "--case c99: the plan has no such case"),
        (("--tag", "odd"), "--tag odd: no case of the plan has it"),
    ],
)
def test_a_selection_of_nothing_is_refused(harness, signed, tmp_path, words, told):
    called = harness("redact", signed / "run", "--out", tmp_path / "copy", *words)

    assert (called.code, told in called.err, (tmp_path / "copy").exists()) == (2, True, False)


def test_a_folder_that_is_there_is_not_written_into(harness, signed, tmp_path):
    assert harness("redact", signed / "run", "--out", tmp_path).code == 2


@pytest.mark.parametrize("words", [("redact", "--out", "again"), ("sign", "--key", "signer.key")])
def test_a_copy_is_neither_copied_nor_signed(harness, signed, redact, tmp_path, words):
    places = {"again": tmp_path / "again", "signer.key": signed / "signer.key"}
    called = harness(words[0], redact(), *(places.get(word, word) for word in words[1:]))

    assert called.code == 2
    assert "withhold" in called.err


@pytest.mark.parametrize("command", ["report", "label"])
def test_what_only_the_run_itself_can_do_is_refused_for_a_copy_by_its_name(harness, redact, command):
    copy = redact()
    called = harness(command, copy)

    assert (called.code, called.out) == (2, "")
    assert called.err == f"harness: {copy}: a copy that withholds texts; wanted the run itself\n"


def test_the_secret_of_another_run_makes_no_copy(harness, signed, tmp_path):
    shutil.copytree(signed / "run", tmp_path / "run")
    (tmp_path / "run" / "redaction.key").write_text("0" * 64)
    called = harness("redact", tmp_path / "run", "--out", tmp_path / "copy")

    assert (called.code, (tmp_path / "copy").exists()) == (4, False)
    assert "the wrong salts" in called.err


def test_who_has_the_secret_makes_the_commitments_again(harness, signed, tmp_path, redact):
    shutil.copytree(signed / "run", tmp_path / "run")
    secret = tmp_path / "run" / "redaction.key"
    whole = _verify(harness, signed, tmp_path / "run", "--commitments")
    copy = _verify(harness, signed, redact(), "--commitments")
    secret.write_text("0" * 64)
    wrong = _verify(harness, signed, tmp_path / "run", "--commitments")
    secret.unlink()
    without = _verify(harness, signed, tmp_path / "run", "--commitments")

    assert [called.code for called, _ in (whole, copy, wrong, without)] == [0, 3, 4, 3]
    assert "the wrong salts" in wrong[1]["sentence"]
    assert "cannot be checked without redaction.key" in without[1]["sentence"]


def test_a_second_signer_vouches_for_no_commitments_that_cannot_be_checked(harness, signed, tmp_path):
    shutil.copytree(signed / "run", tmp_path / "run")
    write_key_pair(tmp_path / "second.key", make_key("p256"))
    key = tmp_path / "second.key"
    assert harness("sign", tmp_path / "run", "--key", key).code == 0
    (tmp_path / "run" / "redaction.key").unlink()
    called = harness("sign", tmp_path / "run", "--key", key, "--replace")

    assert called.code == 3
    assert "cannot be checked without redaction.key" in called.err


def test_without_the_secret_no_copy_is_made(harness, signed, tmp_path):
    shutil.copytree(signed / "run", tmp_path / "run")
    (tmp_path / "run" / "redaction.key").unlink()
    called = harness("redact", tmp_path / "run", "--out", tmp_path / "copy")

    assert called.code == 2
    assert "redaction.key: cannot be read" in called.err


def test_a_run_that_nobody_signed_is_copied_and_its_signer_is_unknown(harness, signed, tmp_path):
    shutil.copytree(signed / "run", tmp_path / "run", ignore=shutil.ignore_patterns("*.sigstore.json"))
    harness("redact", tmp_path / "run", "--out", tmp_path / "copy")
    called = harness("verify", tmp_path / "copy", "--recompute")

    assert called.code == 3
    assert "signer unknown" in called.out
    assert mark("answer", "c00").encode() not in (tmp_path / "copy" / "redacted.jsonl").read_bytes()
