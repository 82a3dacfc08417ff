"""Near-duplicates never stand on both sides of the split, and every pair of them is found."""

from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from project import Project

from harness.domain.cases import Case, Split
from harness.inputs.similar import near_duplicates, shingles, similarity

# Few words, so that prompts often share some, and a long run that many of them share.
_PROMPTS = st.builds(
    lambda head, words: " ".join((*head, *words)),
    st.sampled_from(((), ("you", "are", "a", "helpful", "bot", "that", "answers"))),
    st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=25),
)
_DEALT = st.lists(st.tuples(_PROMPTS, st.sampled_from(("held_out", "exploratory"))), max_size=14)


def found(dealt: list[tuple[str, Split]], at_least: float) -> list[tuple[int, int]]:
    cases = [Case(id=f"c{number}", prompt=prompt) for number, (prompt, _) in enumerate(dealt)]
    return list(near_duplicates(cases, [side for _, side in dealt], at_least=at_least))


@given(_DEALT, st.sampled_from((0.1, 0.3, 0.5, 0.6, 2 / 3, 0.7, 0.8, 0.9, 1.0)))
@example([("a b c d", "held_out"), ("b c d", "exploratory")], 2 / 3)
def test_exactly_the_pairs_across_the_split_are_found_that_are_similar_enough(dealt, at_least):
    pieces = [shingles(prompt) for prompt, _ in dealt]
    across = [
        (first, second)
        for first, second in combinations(range(len(dealt)), 2)
        if dealt[first][1] != dealt[second][1] and similarity(pieces[first], pieces[second]) >= at_least
    ]

    assert sorted(found(dealt, at_least)) == across


@given(_DEALT, _DEALT)
def test_cases_that_are_added_take_no_pair_away(old, new):
    assert set(found(old, 0.5)) <= set(found([*old, *new], 0.5))


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("One two three.", "ONE, two   three!", 1.0),
        ("one two three", "one two four", 1 / 3),
        ("one", "ONE!", 1.0),
        ("one", "two", 0.0),
        ("?!", "?!", 1.0),
        ("?!", "...", 0.0),
        ("東京はどこ", "東京はどこ?", 1.0),
        ("東京はどこ", "京都はどこ", 2 / 6),
        (
            " ".join(f"w{n}" for n in range(50)),
            " ".join(f"w{n}" for n in (*range(20), 99, *range(21, 50))),
            47 / 51,
        ),
    ],
)
def test_similarity_is_the_share_of_pairs_of_words_in_common(first, second, wanted):
    assert similarity(shingles(first), shingles(second)) == wanted


def near(name: str, words: str, **fields: object) -> dict[str, object]:
    return {"id": name, "prompt": words, "reference": f"r-{name}", **fields}


def test_near_duplicates_on_both_sides_are_refused_and_both_named(project: Project) -> None:
    project.replace("gold/small/set.toml", 'by = "cluster"', 'by = "cluster", similarity = 0.5')
    project.cases(
        near("x", "Name the capital of Norway please", split="held_out"),
        near("y", "Name the capital of Norway, please!", split="exploratory"),
    )

    assert project.complaint() == (
        "gold/small/cases.jsonl:2: case 'y' (exploratory) is nearly case 'x' on line 1 (held_out), and "
        "split.similarity is 0.5; give the newer one the cluster of the other ('x' or 'y'), or take it out"
    )


@pytest.mark.parametrize("salt", ["s", "t", "u", "v", "w"])
def test_a_near_duplicate_that_joins_the_cluster_of_an_old_case_goes_to_its_side(
    project: Project, salt: str
) -> None:
    project.replace("gold/small/set.toml", '"s"', f'"{salt}"')
    project.replace("gold/small/set.toml", 'by = "cluster"', 'by = "cluster", similarity = 0.5')
    old = near("old", "Name the capital number one of this long list")
    project.cases(old)
    before = project.load().held_out

    project.cases(old, near("new", "Name the capital number zero of this long list", cluster="old"))

    assert project.load().held_out == (("old", "new") if before else ())


def test_without_a_declared_similarity_none_is_looked_for(project: Project) -> None:
    project.cases(
        near("x", "Name the capital of Norway please", split="held_out"),
        near("y", "Name the capital of Norway, please!", split="exploratory"),
    )

    assert project.load().gold.split.similarity is None


@pytest.mark.parametrize("written", ["0", "1.5", "-1", "nan", '"high"'])
def test_a_similarity_that_is_none_is_refused(project: Project, written: str) -> None:
    project.replace("gold/small/set.toml", 'by = "cluster"', f'by = "cluster", similarity = {written}')

    assert "similarity" in project.complaint()
