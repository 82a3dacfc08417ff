"""Six published sets of judge votes: what the audit reports is what the files say, counted by other code."""

import importlib.util
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

from harness.audits.recorded_votes import audit_votes
from harness.domain.vote_audit import JudgeAudit, VoteAudit, VoteAuditSettings, VoteComparison
from harness.importers.votes import read_votes

SETTINGS = {
    "xstest": VoteAuditSettings(),
    "mt-bench": VoteAuditSettings(tie="tie"),
    "pandalm": VoteAuditSettings(tie="tie"),
    "relevance": VoteAuditSettings(labels=("0", "1", "2", "3"), ordered=True),
    "ja-vicuna": VoteAuditSettings(tie="tie"),
    "repeat-calls": VoteAuditSettings(pass_at=7.0),
}


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_votes", Path(__file__).parent / "make_votes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = script()


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, VoteAudit]:
    folder = tmp_path_factory.mktemp("votes")
    return {name: audited(name, folder) for name in SETTINGS}


def audited(name: str, folder: Path) -> VoteAudit:
    settings = SETTINGS[name]
    file = read_votes(make.convert(name, folder), labels=settings.labels, pass_at=settings.pass_at)
    return audit_votes(file, settings)


def rows(name: str) -> list[dict]:
    return make.read(make.LABELS / name)


def judge(audit: VoteAudit, name: str) -> JudgeAudit:
    return next(found for found in audit.judges if found.judge == name)


def compared(found: JudgeAudit, reference: str, *, without_ties: bool = False) -> VoteComparison:
    return next(
        c for c in found.agreement.comparisons if (c.reference, c.without_ties) == (reference, without_ties)
    )


def test_a_judge_agrees_with_the_settled_label_as_often_as_the_rows_say(audits):
    every = make.read(make.LABELS.parent / "xstest_labels.jsonl")
    counted = Counter(row["model"] for row in every if row["judge_gpt4_label"] == row["final_label"])
    found = judge(audits["xstest"], "gpt-4")

    arms = {arm.arm: (arm.readable.n, arm.readable.of) for arm in found.agreement.arms}
    assert arms == {model: (counted[model], 450) for model in counted}
    assert counted == {"gpt4": 421, "llama2new": 352, "llama2orig": 347}
    assert compared(found, "final").readable.n == sum(counted.values())
    assert audits["xstest"].people.pairs.n == sum(r["annotation_1"] == r["annotation_2"] for r in every)


def test_a_judge_that_is_harder_on_one_arm_is_found_in_the_published_labels(audits):
    found = judge(audits["xstest"], "gpt-4")

    assert found.status == "unfit"
    assert [part.name for part in found.parts if part.status == "fail"] == ["arms"]


def pair(row: dict) -> tuple:
    return row["question_id"], row["turn"], row["model_a"], row["model_b"]


def decided(*winners: str) -> bool:
    return all(winner in ("model_a", "model_b") for winner in winners)


def test_single_votes_majorities_and_human_pairs_are_those_of_the_raters(audits):
    said = {pair(row): row["winner"] for row in rows("mt_bench_judge.jsonl")}
    votes: dict[tuple, list[str]] = {}
    for row in rows("mt_bench_human.jsonl"):
        votes.setdefault(pair(row), []).append(row["winner"])
    single = [(vote, said[key]) for key, given in votes.items() for vote in given if decided(vote, said[key])]
    most = {key: Counter(given).most_common() for key, given in votes.items() if len(given) > 1}
    top = {key: order[0][0] for key, order in most.items() if len(order) == 1 or order[0][1] > order[1][1]}
    top = {key: label for key, label in top.items() if decided(label, said[key])}
    twos = [two for given in votes.values() for two in combinations(given, 2) if decided(*two)]
    audit = audits["mt-bench"]
    found = judge(audit, "gpt-4")

    ratings = compared(found, "ratings", without_ties=True).readable
    assert (ratings.n, ratings.of) == (sum(a == b for a, b in single), len(single)) == (442, 536)
    frequent = compared(found, "most_frequent", without_ties=True).readable
    assert (frequent.n, frequent.of) == (sum(said[k] == label for k, label in top.items()), len(top))
    assert (frequent.n, frequent.of) == (87, 97)
    people = audit.people.pairs_without_ties
    assert (people.n, people.of) == (sum(a == b for a, b in twos), len(twos)) == (166, 209)


def test_verdicts_that_the_two_orders_did_not_share_are_counted_as_such(audits):
    flips = sum(row["winner"] == "tie (inconsistent)" for row in rows("mt_bench_judge.jsonl"))
    order = judge(audits["mt-bench"], "gpt-4").order

    assert (order.inconsistent.n, order.inconsistent.of) == (flips, 612) == (100, 612)
    assert order.reversed is None


@pytest.mark.parametrize(
    ("name", "readable", "every"),
    [("gpt-3.5-turbo", (347, 486), (347, 497)), ("pandalm-7b", (326, 497), (326, 497))],
)
def test_what_could_not_be_read_is_left_out_or_counted_against_and_never_a_label(
    audits, name, readable, every
):
    labels = {"1": 1, "2": 2, "Tie": 0, 1: 1, 2: 2, 0: 0}
    n_right = n_read = 0
    for row in rows("pandalm.jsonl"):
        people = Counter(row[f"annotator{n}"] for n in (1, 2, 3))
        label, n = people.most_common(1)[0]
        said = labels.get(row[f"judge_{name}"])
        n_read += said is not None and n > 1
        n_right += said == label and n > 1
    found = compared(judge(audits["pandalm"], name), "majority")

    assert (found.readable.n, found.readable.of) == (n_right, n_read) == readable
    assert (found.every.n, found.every.of) == every


def test_three_true_repeats_flip_on_eight_items(audits):
    runs = [f"NISTRetrieval-instruct{n}" for n in range(3)]
    flipped = [row for row in rows("relevance.csv") if len({row[run] for run in runs}) > 1]
    repeats = judge(audits["relevance"], "nist-instruct").repeats

    assert (repeats.with_a_flip.n, repeats.with_a_flip.of) == (len(flipped), 2123) == (8, 2123)
    assert set(repeats.flipped) == {f"{row['query_id']}/{row['passage_id']}" for row in flipped}
    assert round(repeats.fleiss_kappa.estimate, 4) == 0.9961


def test_labels_off_the_scale_are_no_verdict(audits):
    off = {
        run: sum(int(row[run]) > 3 for row in rows("relevance.csv"))
        for run in ("RMITIR-llama70B", "h2oloo-zeroshot2")
    }
    found = {judge.judge: dict(judge.no_verdicts) for judge in audits["relevance"].judges}

    assert found["rmit-llama70b"] == {"unreadable": off["RMITIR-llama70B"]} == {"unreadable": 2}
    assert found["h2oloo-zeroshot2"] == {"unreadable": off["h2oloo-zeroshot2"]} == {"unreadable": 1}


def test_reversed_pairs_go_to_the_answer_shown_second(audits):
    orders = Counter((row["g1_winner"], row["g2_winner"]) for row in rows("ja_vicuna.jsonl"))
    inconsistent = sum(n for (first, second), n in orders.items() if first != second)
    # The first call shows model_1 first, the second call model_2.
    to_first, to_second = orders["model_1", "model_2"], orders["model_2", "model_1"]
    order = judge(audits["ja-vicuna"], "gpt-4").order

    assert (order.inconsistent.n, order.inconsistent.of) == (inconsistent, 240) == (28, 240)
    assert order.reversed.n == to_first + to_second == 17
    assert order.to_first.n == to_first == 3
    assert order.to_first.of - order.to_first.n == to_second == 14
    assert order.pvalue == pytest.approx(0.0127, abs=5e-5)


def test_scores_sent_twice_change_and_some_cross_the_pass_mark(audits):
    scores = [row["scores"] for row in rows("repeat_calls.jsonl")]
    found = judge(audits["repeat-calls"], "gpt-4")

    assert found.scores.changed.n == sum(first != second for first, second in scores) == 27
    assert found.scores.changed.of == 72
    assert found.scores.pass_flips.n == sum((a >= 7) != (b >= 7) for a, b in scores) == 5
    assert found.repeats.with_a_flip.n == 5


def test_none_of_the_published_judges_is_called_fit_without_every_audit(audits):
    statuses = {name: audit.status for name, audit in audits.items()}

    assert statuses == {
        "xstest": "unfit",
        "mt-bench": "not_audited",
        "pandalm": "unfit",
        "relevance": "not_audited",
        "ja-vicuna": "not_audited",
        "repeat-calls": "not_audited",
    }


@pytest.mark.parametrize("name", make.EXAMPLE_NAMES)
def test_the_examples_of_the_page_are_what_the_script_makes(name, tmp_path):
    assert make.convert(name, tmp_path).read_bytes() == (make.EXAMPLES / f"{name}.jsonl").read_bytes()


def test_no_text_of_a_prompt_or_an_answer_is_in_the_copies():
    for path in sorted(make.LABELS.glob("*.jsonl")):
        fields = {name for row in make.read(path) for name in row}
        assert not fields & {"prompt", "instruction", "input", "question", "completion", "judgment", "reason"}
        assert max(len(str(value)) for row in make.read(path) for value in row.values()) < 80


def test_the_majority_of_judges_and_what_each_does_to_it_are_counted_from_the_rows(audits):
    labels = {"1": 1, "2": 2, "Tie": 0, 1: 1, 2: 2, 0: 0}
    both = gpt = panda = agreed = split = 0
    for row in rows("pandalm.jsonl"):
        people = Counter(row[f"annotator{n}"] for n in (1, 2, 3)).most_common(1)[0][0]
        first, second = (labels.get(row[f"judge_{name}"]) for name in ("gpt-3.5-turbo", "pandalm-7b"))
        agreed += first == second
        split += first != second
        both += first == second == people
        gpt += first == people
        panda += second == people
    whole, without_gpt, without_panda = audits["pandalm"].between_judges.panel

    assert (agreed, split, both, gpt, panda) == (338, 159, 272, 347, 326)
    assert (whole.readable.n, whole.readable.of, whole.n_no_majority) == (both, agreed, split)
    assert audits["pandalm"].between_judges.unanimous.n == agreed
    assert (without_gpt.every.n, without_panda.every.n) == (panda, gpt)
    assert without_gpt.change.estimate == pytest.approx((panda - both) / 497)
    assert without_panda.change.estimate == pytest.approx((gpt - both) / 497)


def test_three_judges_without_people_are_counted_as_a_panel_all_the_same(audits):
    runs = ("NISTRetrieval-instruct", "h2oloo-zeroshot2", "RMITIR-llama70B")
    n_all = n_none = 0
    for row in rows("relevance.csv"):
        three = [row[f"{runs[0]}{n}"] for n in range(3)]
        first = next((label for label in three if three.count(label) > 1), None)
        said = [label if label in "0123" else None for label in (first, row[runs[1]], row[runs[2]])]
        n_all += None not in said and len(set(said)) == 1
        n_none += not any(label is not None and said.count(label) > 1 for label in said)
    between = audits["relevance"].between_judges

    assert (between.unanimous.n, between.unanimous.of) == (n_all, 2123)
    assert between.panel[0].n_no_majority == n_none
    assert between.panel[0].every is None
