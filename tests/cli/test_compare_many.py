"""`harness compare` with more than two results, and with two published rates."""

import json
from pathlib import Path

import pytest


def results(path: Path, passed: str) -> Path:
    rows = [json.dumps({"id": f"c{i}", "passed": letter == "1"}) for i, letter in enumerate(passed)]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_three_results_get_cochrans_q_and_every_pair_after_holm(harness, tmp_path):
    # Cochran's Q = 8 on 2 df of these: (k-1)(k sum Gj^2 - (sum Gj)^2)/(k sum Li - sum Li^2) with G = 8, 4, 0.
    files = [results(tmp_path / f"{n}.jsonl", p) for n, p in enumerate(("1" * 8, "1" * 4 + "0" * 4, "0" * 8))]
    called = harness("compare", *files, "--json")
    found = json.loads(called.out)

    assert called.code == 0
    assert found["cochran_q"]["statistic"] == pytest.approx(2 * (3 * 80 - 144) / (3 * 12 - 20))
    assert found["cochran_q"]["df"] == 2
    assert [(p["first"], p["second"], p["gain"], p["loss"]) for p in found["pairs"]] == [
        (0, 1, 0, 4),
        (0, 2, 0, 8),
        (1, 2, 0, 4),
    ]
    assert found["pairs"][1]["adjusted"] == pytest.approx(3 * found["pairs"][1]["pvalue"])


def test_cases_that_one_of_three_lacks_are_counted_as_left_out(harness, tmp_path):
    files = [results(tmp_path / f"{n}.jsonl", p) for n, p in enumerate(("1011", "101", "100"))]

    assert "3 cases that all of them have a majority on; 1 left out" in harness("compare", *files).out


def in_clusters(path: Path, passed: str, *, size: int) -> Path:
    rows = [
        json.dumps({"id": f"c{i}", "passed": letter == "1", "cluster": f"g{i // size}"})
        for i, letter in enumerate(passed)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_results_in_clusters_are_compared_by_whole_clusters(harness, tmp_path):
    # Eight documents of five cases; the first arm passes six of them, the others none.
    files = [
        in_clusters(tmp_path / f"{n}.jsonl", p, size=5)
        for n, p in enumerate(("1" * 30 + "0" * 10, "0" * 40, "0" * 40))
    ]
    found = json.loads(harness("compare", *files, "--json").out)

    assert found["n_clusters"] == 8
    assert found["cochran_q"]["n_informative"] == 6
    # One arm of three ahead in each of six clusters: 3 of 3^6 permutations are as far apart.
    assert found["cochran_q"]["pvalue"] == pytest.approx(3 / 3**6)
    assert found["pairs"][0]["pvalue"] == 2 / 2**6
    assert found["pairs"][0]["adjusted"] == pytest.approx(3 * 2 / 2**6)
    assert found["pairs"][0]["interval"]["method"].startswith("plus_two_cr2")


def test_too_few_clusters_have_a_pvalue_that_cannot_reject_and_no_interval(harness, tmp_path):
    files = [in_clusters(tmp_path / f"{n}.jsonl", p * 20, size=5) for n, p in enumerate("100")]
    found = json.loads(harness("compare", *files, "--json").out)

    assert found["pairs"][0]["pvalue"] == 2 / 2**4
    assert found["pairs"][0]["interval"] == {"reason": "4 clusters; an interval that may decide needs 6"}
    assert "no interval: 4 clusters" in harness("compare", *files).out


def test_a_cluster_that_one_of_the_files_names_holds_for_all(harness, tmp_path):
    files = [results(tmp_path / f"{n}.jsonl", p * 20) for n, p in enumerate("10")]
    files.append(in_clusters(tmp_path / "2.jsonl", "0" * 20, size=5))

    assert json.loads(harness("compare", *files, "--json").out)["n_clusters"] == 4


def test_files_that_disagree_about_a_cluster_are_refused(harness, tmp_path):
    files = [results(tmp_path / "0.jsonl", "1" * 20)]
    files += [in_clusters(tmp_path / f"{n}.jsonl", "0" * 20, size=n) for n in (2, 5)]

    called = harness("compare", *files)
    assert called.code == 2
    assert "cluster" in called.err


@pytest.mark.parametrize("option", [("--margin", 0.1), ("--slice", "x"), ("--estimand", "mean")])
def test_an_option_that_three_results_do_not_use_is_refused(harness, tmp_path, option):
    files = [results(tmp_path / f"{n}.jsonl", p * 8) for n, p in enumerate("100")]

    called = harness("compare", *files, *option)
    assert called.code == 2
    assert f"{option[0]} is not used with three or more results" in called.err


def test_two_published_rates_are_labelled_unpaired(harness):
    # Newcombe (1998), table II, 56/70 against 48/80: 0.2, 0.0524 to 0.3339.
    called = harness("compare", "--unpaired", "48/80", "56/70", "--json")
    found = json.loads(called.out)

    assert found["paired"] is False
    assert found["interval"]["low"] == pytest.approx(0.0524, abs=5e-5)
    assert found["interval"]["high"] == pytest.approx(0.3339, abs=5e-5)
    assert harness("compare", "--unpaired", "48/80", "56/70").out.startswith(
        "unpaired difference +20.0 points"
    )


def test_two_rates_without_spread_have_an_interval_and_say_why_there_is_no_test(harness):
    found = json.loads(harness("compare", "--unpaired", "10/10", "10/10", "--json").out)

    assert found["pvalue"] is None
    assert found["reason"]
    assert found["interval"]["low"] < 0 < found["interval"]["high"]
    assert f"no score test: {found['reason']}" in harness("compare", "--unpaired", "10/10", "10/10").out


@pytest.mark.parametrize("rate", ["62", "5/0", "7/5", "-1/5", "1e3/5"])
def test_a_rate_that_is_none_is_refused(harness, rate):
    assert harness("compare", "--unpaired", "--", rate, "3/5").code == 2


def test_one_result_is_nothing_to_compare(harness, tmp_path):
    assert harness("compare", results(tmp_path / "a.jsonl", "1")).code == 2
