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


def test_results_in_clusters_are_warned_of(harness, tmp_path):
    rows = "".join(json.dumps({"id": f"c{i}", "passed": True, "cluster": "one"}) + "\n" for i in range(3))
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text(rows)

    called = harness("compare", *paths)
    assert "share clusters" in called.out
    assert "not estimable: all arms agree" in called.out


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


@pytest.mark.parametrize("rate", ["62", "5/0", "7/5", "-1/5", "1e3/5"])
def test_a_rate_that_is_none_is_refused(harness, rate):
    assert harness("compare", "--unpaired", "--", rate, "3/5").code == 2


def test_one_result_is_nothing_to_compare(harness, tmp_path):
    assert harness("compare", results(tmp_path / "a.jsonl", "1")).code == 2
