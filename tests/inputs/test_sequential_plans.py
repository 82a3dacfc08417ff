"""Plans that may end early: what they could not keep their word with is refused, in one line."""

import pytest
from project import CASES, SET, Project


def sums(n: int, **fields: object) -> list[dict[str, object]]:
    check = {"kind": "exact", "expected": "4"}
    return [{"id": f"s{k}", "prompt": f"{k} + 4?", "checks": [check], **fields} for k in range(n)]


@pytest.fixture
def declared(project: Project) -> Project:
    """A project whose cases are all exploratory, with a plan that may end early."""
    project.write("gold/small/set.toml", SET.replace("held_out = 0.3", "held_out = 0.0"))
    project.cases(*CASES, *sums(5))
    project.write("experiment.toml", project.experiment.read_text() + "\n[sequential]\nbatch = 2\n")
    return project


def test_a_plan_says_how_it_may_end(declared: Project) -> None:
    declared.replace("experiment.toml", "batch = 2", "batch = 2\nn_max = 6\nask_held_out = false")
    found = declared.load().experiment.sequential

    assert found is not None
    assert found.model_dump() == {"batch": 2, "n_max": 6, "ask_held_out": False}


def test_what_is_left_out_has_a_default(declared: Project) -> None:
    found = declared.load().experiment.sequential

    assert found is not None
    assert found.model_dump() == {"batch": 2, "n_max": None, "ask_held_out": True}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("batch = 2", "batch = 0", "sequential.batch: found 0, wanted at least 1"),
        (
            "batch = 2",
            "batch = 2\nlooks = 3",
            "unknown key 'sequential.looks'; known are batch,",
        ),
        ("batch = 2", "batch = 2\nn_max = 9", "sequential.n_max: found 9, wanted at most the 8 there are"),
        (
            "batch = 2",
            "batch = 1\nn_max = 1",
            "sequential.n_max: found 1, wanted at least 2: clusters are asked whole, and 'north' has 2 cases",
        ),
        (
            "[analysis]",
            '[analysis]\nestimand = "mean"\nprimary = "score"',
            'analysis.primary: found "score" with [sequential], wanted "pass"',
        ),
        (
            "[sequential]",
            '[gates]\nrouting = "segment"\n\n[sequential]',
            'gates.routing: found "segment" with [sequential]: segments are compared at a fixed size alone',
        ),
        ("[analysis]", "[analysis]\nweights = { geo = 1.0 }", "analysis.weights: found weights with"),
    ],
)
def test_an_unsound_plan_is_refused(declared: Project, old: str, new: str, told: str) -> None:
    declared.replace("experiment.toml", old, new)
    complaint = declared.complaint()

    assert complaint.startswith("experiment.toml:")
    assert told in complaint


def test_cases_of_unequal_weight_have_no_interval_that_holds_at_any_stop(declared: Project) -> None:
    declared.cases(*CASES, *sums(5), *sums(0), {**sums(1)[0], "id": "heavy", "prompt": "9 + 9?", "weight": 2})

    assert "sequential: case 'heavy' has weight 2 and 'c1' 1" in declared.complaint()


def test_held_out_cases_never_decide_when_to_stop(declared: Project) -> None:
    declared.replace("gold/small/set.toml", "held_out = 0.0", "held_out = 1.0")

    assert "sequential: every case is held out" in declared.complaint()
