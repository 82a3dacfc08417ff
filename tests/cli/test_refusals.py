"""Wrong words on the command line and destinations that cannot be written: one line, never exit code 1."""

import signal
import subprocess
import sys

import pytest

from tests.cli.live_project import HONEST, serving, wait_for, write_live_project
from tests.cli.small_project import write_project


@pytest.fixture
def files(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("".join(f'{{"id": "c{i}", "passed": true}}\n' for i in range(60)))
    return tmp_path / "a.jsonl", tmp_path / "b.jsonl"


@pytest.mark.parametrize(
    "words",
    [
        ["power", "--cases", "10", "--discordance", "nan"],
        ["power", "--difference", "nan"],
        ["power", "--cases", "10", "--icc", "nan"],
        ["power", "--cases", "99999999999999999999"],
    ],
)
def test_a_number_that_is_none_is_refused(harness, words):
    called = harness(*words)

    assert (called.code, called.out) == (2, "")
    assert "Traceback" not in called.err


@pytest.mark.parametrize("option", ["--margin", "--alpha", "--coverage", "--pass-at"])
def test_compare_refuses_nan(harness, files, option):
    assert harness("compare", *files, option, "nan").code == 2


@pytest.mark.parametrize("command", ["compare", "audit-votes"])
def test_a_number_without_limits_is_shown_without_a_range(harness, command):
    shown = harness(command, "--help").out

    assert "--pass-at FLOAT " in shown
    assert "None" not in shown


@pytest.mark.parametrize("destination", [".", "nowhere/x.html"])
def test_a_page_that_cannot_be_written_is_one_line_and_no_failed_gate(harness, files, tmp_path, destination):
    called = harness("compare", *files, "--html", tmp_path / destination)

    assert called.code == 2
    assert "Traceback" not in called.err
    assert destination.rstrip(".") in called.err.splitlines()[-1]


def test_schemas_that_cannot_be_written_are_one_line(harness, files):
    called = harness("schema", "--dir", files[0])

    assert called.code == 2
    assert len(called.err.splitlines()) == 1


def test_a_reader_that_went_away_does_not_change_the_exit_code(files):
    words = [
        sys.executable,
        "-c",
        "from harness.cli import main; main()",
        "compare",
        *map(str, files),
        "--json",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()

    assert process.returncode == 3
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err


def test_verdicts_that_are_all_null_give_no_figure_and_the_true_reason(harness, tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("".join(f'{{"id": "c{i}", "passed": null}}\n' for i in range(50)))
    called = harness("compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl")

    assert called.code == 3
    assert "0 of 50 cases have a verdict in both files" in " ".join(called.out.split())
    assert "not valid" in called.out


def test_a_measure_that_no_file_holds_is_named(harness, files):
    called = harness("compare", *files, "--measure", "score", "--estimand", "mean")

    assert "no case has a score in both arms" in " ".join(called.out.split())


def test_a_template_that_does_not_ask_the_case_is_refused(harness, tmp_path):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")
    (tmp_path / "p" / "t.md").write_text("hello")
    experiment.write_text(
        experiment.read_text().replace('model = "m-old"', 'model = "m-old"\ntemplate = "t.md"')
    )
    called = harness("check", experiment)

    assert called.code == 2
    assert "t.md" in called.err
    assert "$prompt is missing" in called.err


@pytest.mark.parametrize("header", ['"x-a" = "café"', '"a b" = "x"', '"x-a" = "x\\ny"'])
def test_a_header_that_cannot_be_sent_is_refused_before_any_call(harness, tmp_path, header):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")
    text = experiment.read_text().replace('model = "m-old"', f'model = "m-old"\nheaders = {{ {header} }}')
    experiment.write_text(text)
    called = harness("check", experiment)

    assert called.code == 2
    assert "headers" in called.err


def test_an_audit_against_nothing_is_refused_before_any_call(harness, tmp_path):
    with serving(HONEST) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        called = harness("audit", experiment, "--dir", tmp_path / "run", "--against", tmp_path / "nope")
        asked = server.stats()["n_requests"]

    assert (called.code, asked) == (2, 0)
    assert "nope" in called.err


def test_arms_that_were_never_called_are_not_audited(harness, tmp_path):
    with serving([{"contains": "Grade the answer", "texts": ["VERDICT: pass"]}]) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        called = harness("run", experiment, "--dir", tmp_path / "run", "--json")

    assert called.code == 1
    assert '"not_called: baseline"' in called.out


def test_a_terminated_run_says_what_is_kept(tmp_path):
    with serving(HONEST, latency_ms=30) as server:
        experiment = write_live_project(tmp_path / "p", base_url=server.base_url)
        words = [sys.executable, "-c", "from harness.cli import main; main()", "run", str(experiment)]
        with subprocess.Popen(
            [*words, "--dir", str(tmp_path / "run")], stderr=subprocess.PIPE, text=True
        ) as process:
            wait_for(server, 20)
            process.send_signal(signal.SIGTERM)
            _, told = process.communicate(timeout=60)

    assert process.returncode == 3
    assert "are kept in" in told


def test_check_says_what_is_in_order_and_will_not_do(harness, tmp_path, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1", key_env="NO_SUCH_KEY")
    settings = tmp_path / "p" / "gold" / "live" / "set.toml"
    settings.write_text(settings.read_text().replace("held_out = 0.0", "held_out = 1.0"))
    called = harness("check", experiment)

    assert called.code == 0
    assert "every case is held out" in called.out
    assert "NO_SUCH_KEY is not set" in called.out


def test_a_damaged_plan_is_not_called_another_plan(harness, tmp_path):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "plan.json").write_text("x")
    called = harness("run", experiment, "--dir", tmp_path / "run")

    assert called.code == 4
    assert "not a plan" in called.err


def test_locked_without_a_lock_says_what_writes_one(harness, tmp_path):
    experiment = write_live_project(tmp_path / "p", base_url="http://127.0.0.1:1/v1")

    assert "harness freeze" in harness("run", experiment, "--locked").err


_ADDRESS = "arm.baseline.base_url: wanted an address such as https://host/v1"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "  ",
        "http://",
        "localhost:8000/v1",
        "ftp://x/v1",
        "http://[::1",
        "http://h:99999",
        "http://a b/v1",
    ],
)
def test_an_address_that_is_none_is_told_with_its_line(harness, tmp_path, written):
    experiment = write_project(tmp_path)
    text = experiment.read_text()
    chat = f'[arm.baseline]\nbackend = "chat"\nmodel = "m"\nbase_url = "{written}"\n'
    head, _, rest = text.partition("[arm.candidate]")
    experiment.write_text(f"{head.partition('[arm.baseline]')[0]}{chat}\n[arm.candidate]{rest}")
    line = 1 + experiment.read_text().splitlines().index(f'base_url = "{written}"')
    called = harness("check", experiment)

    assert (called.code, called.err) == (2, f"harness: {experiment}:{line}: {_ADDRESS}\n")


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("margin = 0.05", "margin = 1e308", "analysis.margin: found 1e+308, wanted less than 1"),
        ("margin = 0.05", "margin = 1e999", "analysis.margin: found inf, wanted a finite number"),
        (
            "seed = 1",
            "seed = 99999999999999999999",
            "analysis.seed: found 99999999999999999999, wanted a whole",
        ),
        (
            "seed = 1",
            "seed = 1\nweights = { a = 1e308 }",
            "weights.a: found 1e+308, wanted a number from 0 to 1e9",
        ),
        (
            'replies = "replies.jsonl"',
            'replies = "replies.jsonl"\nprice = { prompt = 1e308, completion = 1 }',
            "price.prompt: found 1e+308, wanted at most 1e+09",
        ),
    ],
)
def test_numbers_beyond_what_can_be_reckoned_with_are_refused(harness, tmp_path, old, new, wanted):
    experiment = write_project(tmp_path)
    experiment.write_text(experiment.read_text().replace(old, new, 1))
    called = harness("check", experiment)

    assert called.code == 2
    assert wanted in called.err


def test_a_weight_beside_which_all_others_vanish_is_refused(harness, tmp_path):
    experiment = write_project(tmp_path)
    cases = tmp_path / "gold" / "small" / "cases.jsonl"
    cases.write_text(cases.read_text().replace('"prompt"', '"weight": 1e308, "prompt"', 1))
    called = harness("check", experiment)

    assert called.code == 2
    assert "cases.jsonl:1: weight: found 1e+308, wanted at most 1e+09" in called.err


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("a.csv", "id;passed\na;1\n", "a.csv:1: found semicolons between the columns, wanted commas"),
        ("a.csv", "id\tpassed\na\t1\n", "a.csv:1: found tabs between the columns, wanted commas"),
        ("a.jsonl", '{"id": "\\ud800", "passed": true}\n', "a.jsonl:1: found half of a surrogate pair"),
        ("a.jsonl", '{"id": "a", "cluster": "\\uDFFF", "passed": true}\n', "a.jsonl:1: found half of"),
        ("a.csv", "id,score\na,1e308\n", "score: found 1e+308, wanted a number up to 1e+15"),
        ("a.csv", "id,passed,weight\na,1,1e308\n", "weight: found 1e+308, wanted at most 1e+09"),
    ],
)
def test_results_that_cannot_be_compared_are_refused_in_one_line(harness, tmp_path, name, content, wanted):
    path = tmp_path / name
    path.write_text(content)
    called = harness("compare", path, path, "--pass-at", "1")

    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
    assert wanted in called.err


def test_a_whole_surrogate_pair_is_a_character(harness, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "\\ud83d\\ude00", "passed": true}\n')

    assert harness("compare", path, path).code == 3


def test_a_seed_that_no_file_could_hold_is_wrong_usage(harness, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,passed\na,1\n")
    called = harness("compare", path, path, "--seed", "99999999999999999999")

    assert called.code == 2
    assert "--seed" in called.err


def test_a_run_directory_that_cannot_be_made_is_wrong_input(harness, tmp_path):
    experiment = write_project(tmp_path)
    (tmp_path / "file").write_text("")
    for directory in (tmp_path / "file", tmp_path / "file" / "run"):
        called = harness("run", experiment, "--dir", directory)
        assert (called.code, called.out) == (2, "")
        assert "cannot be written" in called.err
    assert harness("keygen", tmp_path / "file" / "signer.key").code == 2
