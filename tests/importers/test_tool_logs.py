"""Logs of peer tools: real ones against a direct count, made ones for what the tools get wrong."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from harness.domain.errors import InputError
from harness.domain.verdicts import graded
from harness.importers.pairing import pair_results, refuse_other_grader
from harness.importers.results import ResultFile, read_results

LOGS = Path(__file__).parents[1] / "data" / "tool_logs"
PASS, FAIL = graded("pass"), graded("fail")


def outcomes(file: ResultFile) -> dict[str, list[str | None]]:
    return {case.id: [answer.outcome for answer in case.answers] for case in file.cases}


def complaint(path: Path, **choice: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_results(path, **choice)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{path.parent}/", "")


def written(tmp_path: Path, value: object, name: str = "log.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def lines(tmp_path: Path, *rows: object, name: str = "log.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


# Inspect


def inspect_log(*samples: dict[str, Any], **about: Any) -> dict[str, Any]:
    eval_ = {"task": "t", "model": "m-1", "dataset": {"samples": len(samples)}, **about}
    return {"version": 2, "status": "success", "eval": eval_, "samples": list(samples)}


def sample(name: int | str, value: object, **more: Any) -> dict[str, Any]:
    return {"id": name, "epoch": 1, "input": f"q{name}", "scores": {"match": {"value": value}}, **more}


def test_an_inspect_archive_is_counted_like_its_members() -> None:
    path = LOGS / "inspect_ai_match.eval"
    with zipfile.ZipFile(path) as archive:
        samples = [
            json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")
        ]
    letters = {str(found["id"]): found["scores"]["match"]["value"] for found in samples}

    found = outcomes(read_results(path))

    assert found == {name: ["pass" if letter == "C" else "fail"] for name, letter in letters.items()}
    assert sum(answers == ["pass"] for answers in found.values()) == 8


def test_one_inspect_log_in_both_formats_is_one_result() -> None:
    archive = read_results(LOGS / "inspect_ai_both-formats.eval")
    document = read_results(LOGS / "inspect_ai_both-formats.json")

    assert archive.cases == document.cases
    assert archive.notes == document.notes


def test_a_cancelled_inspect_log_says_so() -> None:
    found = read_results(LOGS / "inspect_ai_cancelled.json")

    assert [case.answers for case in found.cases] == [
        (graded("pass", None, 1.0),),
        (graded("pass", None, 1.0),),
        (graded("fail", None, 0.0),),
    ]
    assert any("'cancelled'" in note for note in found.notes)
    assert any("3 of the dataset's 100 samples" in note for note in found.notes)


def test_an_inspect_log_without_scores_is_refused() -> None:
    assert (
        complaint(LOGS / "inspect_ai_unscored.eval") == "inspect_ai_unscored.eval: found no score in this log"
    )


def test_inspect_names_the_model_that_graded() -> None:
    found = read_results(LOGS / "inspect_ai_model-graded.json")

    # No model is named for the scorer, so Inspect lets the model under test grade itself.
    assert found.graded_by == "model_graded_fact (model = openai/gpt-4o-mini)"


def test_two_logs_graded_by_their_own_models_are_not_comparable(tmp_path: Path) -> None:
    graded_sample = sample(1, "C") | {"scores": {"model_graded_qa": {"value": "C"}}}
    first = read_results(written(tmp_path, inspect_log(graded_sample, model="old"), "a.json"))
    second = read_results(written(tmp_path, inspect_log(graded_sample, model="new"), "b.json"))

    with pytest.raises(InputError, match=r"not comparable: graded by model_graded_qa \(model = old\) in"):
        refuse_other_grader(first, second)


def test_a_grader_role_is_the_grader(tmp_path: Path) -> None:
    graded_sample = sample(1, "C") | {"scores": {"model_graded_qa": {"value": "C"}}}
    log = inspect_log(graded_sample, model="new", model_roles={"grader": "judge-1"})

    assert read_results(written(tmp_path, log)).graded_by == "model_graded_qa (model = judge-1)"


def test_epochs_are_repeats_of_one_case(tmp_path: Path) -> None:
    log = inspect_log(*(sample("a", value, epoch=epoch) for epoch, value in ((2, "I"), (1, "C"), (3, "C"))))

    found = read_results(written(tmp_path, log))

    assert outcomes(found) == {"a": ["pass", "fail", "pass"]}
    assert found.repeats == (0, 1, 2)


def test_the_letters_of_inspect(tmp_path: Path) -> None:
    log = inspect_log(
        sample(1, "C"), sample(2, "I"), sample(3, "N"), sample(4, True), sample(5, 0), sample(6, "yes")
    )

    found = read_results(written(tmp_path, log))

    assert [case.answers[0].outcome for case in found.cases] == ["pass", "fail", None, "pass", "fail", "pass"]
    assert "1 answers are marked N (no answer): no verdict, not a fail" in found.notes


def test_partial_credit_asks_for_a_pass_mark(tmp_path: Path) -> None:
    path = written(tmp_path, inspect_log(sample(1, "P"), sample(2, "C")))

    assert "--pass-at" in complaint(path)
    assert [case.answers[0].score for case in read_results(path, pass_at=0.9).cases] == [0.5, 1.0]


def test_several_scorers_want_a_choice(tmp_path: Path) -> None:
    both = sample(1, "C") | {"scores": {"match": {"value": "C"}, "rubric": {"value": {"tone": 0, "fact": 1}}}}
    path = written(tmp_path, inspect_log(both))

    assert (
        complaint(path)
        == "log.json: found 3 scorers, wanted one by --metric: match, rubric/tone, rubric/fact"
    )
    assert outcomes(read_results(path, metric="rubric/tone")) == {"1": ["fail"]}
    assert "wanted one of its scorers: match" in complaint(path, metric="fact")


def test_a_failed_sample_is_no_verdict(tmp_path: Path) -> None:
    log = inspect_log(sample(1, "C"), sample(2, "I", error={"message": "timed out"}))

    assert [case.answers[0].reason for case in read_results(written(tmp_path, log)).cases] == [None, "failed"]


def test_a_score_that_is_not_a_number_is_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log(sample(1, float("nan")), sample(2, "C"))), encoding="utf-8")

    assert [case.answers[0].outcome for case in read_results(path).cases] == [None, "pass"]


def test_ids_1_and_text_1_are_one_id_and_refused(tmp_path: Path) -> None:
    log = inspect_log(sample(1, "C"), sample("1", "I"))

    assert "is already on line" in complaint(written(tmp_path, log))


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (inspect_log(sample(1, "C")) | {"samples": [{"epoch": 1}]}, "samples.0.id: Field required"),
        (inspect_log(sample(1, "C")) | {"samples": [5]}, "samples.0: Input should be a valid dictionary"),
        (inspect_log(sample(1, "C")) | {"eval": []}, "eval: Input should be a valid dictionary"),
        (inspect_log(), "found no sample in this log (status 'success')"),
        (inspect_log(sample(1, "maybe")), 'found "maybe", wanted a finite number'),
        (inspect_log(sample(1, [1, 0])), "found [1, 0], wanted a finite number"),
    ],
)
def test_a_log_of_another_form_is_one_line(tmp_path: Path, log: dict[str, Any], said: str) -> None:
    assert said in complaint(written(tmp_path, log))


def test_an_archive_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK not a zip")
    assert "log.eval: not a zip that can be read" in complaint(path)

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1_epoch_1.json", "{}")
    assert "log.eval: header.json: cannot be read: the log was never finished" in complaint(path)

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/é.json", "{}")
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xc3\xff"))
    assert "log.eval: not a zip that can be read" in complaint(path)


# lm-evaluation-harness


def lm_eval_row(doc: int, among: str, value: object, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": doc,
        "doc": {"q": doc},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": among,
        "metrics": ["exact_match"],
        "exact_match": value,
        "doc_hash": f"h{doc}",
        **more,
    }


def test_lm_eval_metrics_are_counted_like_the_rows() -> None:
    path = LOGS / "lm_eval_samples_truthfulqa_gen.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    found = outcomes(read_results(path, metric="bleu_acc"))

    assert len(found) == len(rows) == 20
    assert found == {str(row["doc_id"]): ["pass" if row["bleu_acc"] == 1 else "fail"] for row in rows}
    assert complaint(path).startswith("lm_eval_samples_truthfulqa_gen.jsonl: found 12 metrics")


def test_two_filters_are_two_rows_of_one_question(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        lm_eval_row(0, "strict-match", 0),
        lm_eval_row(0, "flexible-extract", 1),
        lm_eval_row(1, "strict-match", 1.0),
        lm_eval_row(1, "flexible-extract", 1.0),
    )

    assert complaint(path) == (
        "log.jsonl: found 2 metrics, wanted one by --metric: "
        "exact_match,strict-match, exact_match,flexible-extract"
    )
    found = read_results(path, metric="exact_match,strict-match")
    assert outcomes(found) == {"0": ["fail"], "1": ["pass"]}
    assert "2 rows of other filters are left out" in found.notes


def test_three_answers_with_one_score_are_one_answer(tmp_path: Path) -> None:
    found = read_results(lines(tmp_path, lm_eval_row(0, "none", 1, resps=[["4", "5", "4"]])))

    assert outcomes(found) == {"0": ["pass"]}
    assert "1 rows hold several answers and one score: read as one answer a case" in found.notes


def test_choices_of_a_question_are_no_repeats(tmp_path: Path) -> None:
    found = read_results(lines(tmp_path, lm_eval_row(0, "none", 1, resps=[[[-1, False]], [[-2, False]]])))

    assert not any("several answers" in note for note in found.notes)


def test_older_files_without_a_list_of_metrics(tmp_path: Path) -> None:
    row = {"doc_id": 0, "doc": {}, "resps": [["4"]], "filtered_resps": ["4"], "acc": True}

    assert outcomes(read_results(lines(tmp_path, row))) == {"0": ["pass"]}


def test_a_document_that_changed_under_its_number_is_not_paired(tmp_path: Path) -> None:
    first = read_results(lines(tmp_path, lm_eval_row(0, "none", 1), name="a.jsonl"))
    second = read_results(lines(tmp_path, lm_eval_row(0, "none", 0, doc_hash="other"), name="b.jsonl"))

    with pytest.raises(InputError, match="case '0' asks something else in"):
        pair_results(baseline=first, candidate=second)
    paired = pair_results(baseline=first, candidate=second, other_questions=True)
    assert "1 cases ask something else in the second file: paired by id all the same" in paired.notes


# promptfoo


def promptfoo_result(column: int, variables: dict[str, str], success: bool, **more: Any) -> dict[str, Any]:
    grading = {"pass": success, "score": float(success), "componentResults": [{"pass": success}]}
    return {
        "promptIdx": column,
        "vars": variables,
        "success": success,
        "score": float(success),
        "gradingResult": grading,
        "testCase": {"assert": [{"type": "equals", "value": "x"}]},
        **more,
    }


def promptfoo(*results: dict[str, Any]) -> dict[str, Any]:
    return {"evalId": "e", "results": {"version": 3, "results": list(results)}}


def test_promptfoo_verdicts_of_a_rubric() -> None:
    path = LOGS / "promptfoo_v3_llm-rubric.json"

    assert complaint(path) == (
        "promptfoo_v3_llm-rubric.json: found 3 columns (prompts with providers), "
        "wanted one by FILE@NUMBER: 0, 1, 2"
    )
    found = [read_results(path, column=str(column)) for column in range(3)]
    assert [case.answers for file in found for case in file.cases] == [
        (graded("fail", None, 0.6),),
        (graded("fail", None, 0.15),),
        (graded("fail", None, 0.4),),
    ]


@pytest.mark.parametrize("name", ["promptfoo_v3_simple.json", "promptfoo_v2.json"])
def test_a_success_without_an_assertion_is_none(name: str) -> None:
    assert (
        complaint(LOGS / name, column="0") == f"{name}: column 0: found no assertion, so nothing was scored"
    )


def test_columns_of_one_file_pair(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        promptfoo(
            *(promptfoo_result(column, {"q": word}, column == 1) for word in ("a", "b") for column in (0, 1))
        ),
    )

    first, second = (read_results(path, column=column) for column in ("0", "1"))

    assert pair_results(baseline=first, candidate=second).n_paired == 2
    assert list(outcomes(first).values()) == [["fail"], ["fail"]]
    assert list(outcomes(second).values()) == [["pass"], ["pass"]]


def test_tests_with_the_same_variables_are_repeats(tmp_path: Path) -> None:
    path = written(
        tmp_path, promptfoo(*(promptfoo_result(0, {"q": "a"}, good) for good in (True, False, True)))
    )

    found = read_results(path)

    assert list(outcomes(found).values()) == [["pass", "fail", "pass"]]


def test_a_call_that_failed_is_no_fail(tmp_path: Path) -> None:
    failed = promptfoo_result(0, {"q": "b"}, False, failureReason=2, error="HTTP 500", gradingResult=None)
    wrong = promptfoo_result(0, {"q": "a"}, False, failureReason=1, error="Expected x")

    found = read_results(written(tmp_path, promptfoo(wrong, failed)))

    assert [case.answers[0].outcome for case in found.cases] == ["fail", None]
    assert [case.answers[0].reason for case in found.cases] == [None, "failed"]


# OpenAI evals, FastChat, deepeval


def test_openai_evals_match_events() -> None:
    found = read_results(LOGS / "openai_evals_match.jsonl")

    # The log's own report says an accuracy of one third.
    assert outcomes(found) == {
        "test-match.s1.2": ["fail"],
        "test-match.s1.1": ["pass"],
        "test-match.s1.0": ["fail"],
    }


def test_fastchat_turns_are_cases_of_one_cluster() -> None:
    path = LOGS / "fastchat_gpt-4_single.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    models = list(dict.fromkeys(row["model"] for row in rows))

    found = read_results(path, pass_at=5, column=models[0] if len(models) > 1 else None)

    own = [row for row in rows if row["model"] == models[0]]
    assert {case.id: case.answers[0].score for case in found.cases} == {
        f"{row['question_id']}/{row['turn']}": row["score"] for row in own
    }
    assert {case.cluster for case in found.cases} == {str(row["question_id"]) for row in own}
    assert found.graded_by == "gpt-4"


def test_the_mark_of_an_unreadable_rating_is_no_score(tmp_path: Path) -> None:
    row = {"question_id": 1, "model": "m", "judge": ["gpt-4", "single-v1"], "turn": 1}

    found = read_results(lines(tmp_path, row | {"score": -1}, row | {"turn": 2, "score": 9}), pass_at=5)

    assert [case.answers[0].outcome for case in found.cases] == [None, "pass"]
    assert "1 judgments have the score -1 (no rating found): no verdict" in found.notes


def test_deepeval_metrics() -> None:
    path = LOGS / "deepeval_test_run_sample.json"
    metrics = json.loads(path.read_text(encoding="utf-8"))["testCases"][0]["metricsData"]

    for metric in metrics:
        found = read_results(path, metric=metric["name"])
        assert found.cases[0].answers[0].outcome == ("pass" if metric["success"] else "fail")
    assert outcomes(read_results(path)) == {
        "sample_test_case": ["pass" if all(metric["success"] for metric in metrics) else "fail"]
    }


# What all of them share


def test_a_choice_for_a_plain_file_is_refused(tmp_path: Path) -> None:
    path = lines(tmp_path, {"id": "a", "passed": True})

    assert complaint(path, metric="acc") == (
        "log.jsonl: --metric: found 'acc', and a plain results file has none to choose"
    )


def test_a_key_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    row = json.dumps(lm_eval_row(0, "none", 1))
    path.write_text(f'{row}\n{row[:-1]}, "exact_match": 0}}\n', encoding="utf-8")

    assert complaint(path) == "log.jsonl:2: not JSON: key 'exact_match' occurs twice"


def test_content_of_a_plain_file_holds_two_files_together(tmp_path: Path) -> None:
    first = read_results(lines(tmp_path, {"id": "a", "passed": True, "content": "2 + 2?"}, name="a.jsonl"))
    second = read_results(lines(tmp_path, {"id": "a", "passed": True, "content": "2 + 3?"}, name="b.jsonl"))
    silent = read_results(lines(tmp_path, {"id": "a", "passed": True}, name="c.jsonl"))

    with pytest.raises(InputError, match="--questions-differ"):
        pair_results(baseline=first, candidate=second)
    assert pair_results(baseline=first, candidate=silent).n_paired == 1
