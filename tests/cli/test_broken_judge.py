"""A judge whose replies could not be read without doubt is refused before any call."""


def test_half_a_pair_of_brackets_is_refused_with_the_file(harness, tmp_path):
    harness("init", tmp_path / "p")
    judge = next((tmp_path / "p" / "judges").glob("*/judge.toml"))
    judge.write_text(judge.read_text().replace("labels =", 'open = "[["\nlabels =', 1))
    called = harness("check", tmp_path / "p" / "experiment.toml")

    assert called.code == 2
    assert "open, close: wanted both or neither" in called.err
    assert len(called.err.splitlines()) == 1
