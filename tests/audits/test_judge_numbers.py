"""Repeatability, people, bias, differential error and the human scale, from runs made by hand."""

import numpy as np
import pytest

from harness.audits import (
    audit_bias,
    audit_differential,
    audit_human_agreement,
    audit_repeatability,
    human_scale,
)
from harness.domain.calls import Subject
from harness.domain.cases import Anchor, Case, Review
from harness.domain.specs import Gates
from harness.domain.verdicts import CaseResult, Verdict, Vote, graded
from tests.audits.readings import anchor, endpoint, plan, reading


def labelled(case, arm, human, *, selection="random", answer="a"):
    return Anchor(
        id=f"{case}-{arm}",
        prompt="p",
        answer=answer,
        reviews=(Review(by="r", label=human),),
        selection=selection,
        case=case,
        arm=arm,
    )


def test_more_votes_where_the_judge_wavers_do_not_raise_self_agreement():
    wavering = {f"w{i}": ["pass", "fail"] for i in range(10)}
    steady = {f"s{i}": ["pass", "pass"] for i in range(10)}
    more = {name: [*found, "pass", "pass", "pass", "pass", "pass"] for name, found in wavering.items()}
    names = [*wavering, *steady]
    made = plan(anchors=[anchor(name, "pass") for name in names], votes=7)

    plain = audit_repeatability(made, reading(anchors=wavering | steady)).flip_rate
    adaptive = audit_repeatability(made, reading(anchors=more | steady)).flip_rate
    assert plain.flip_rate == 0.5
    assert adaptive.flip_rate == plain.flip_rate


def test_flip_rates_are_told_by_what_people_said_and_by_tag():
    tagged = anchor("a", "pass").model_copy(update={"tags": ("t",)})
    made = plan(anchors=[tagged, anchor("b", "fail")])
    found = audit_repeatability(made, reading(anchors={"a": ["pass", "fail", "pass"], "b": ["fail"] * 3}))

    assert {row.of: row.flip_rate for row in found.slices} == {
        "people: pass": pytest.approx(2 / 3),
        "people: fail": 0.0,
        "tag: t": pytest.approx(2 / 3),
    }


def test_flips_on_real_answers_leave_held_out_cases_closed():
    made = plan(cases=[Case(id="open", prompt="p"), Case(id="shut", prompt="q")]).model_copy(
        update={"held_out": ("shut",)}
    )
    votes = tuple(
        Vote(Subject(kind="case", id=case, arm="baseline", answer=0), repeat, Verdict(label, None), repeat)
        for case, labels in (("open", ["pass"] * 3), ("shut", ["pass", "fail", "pass"]))
        for repeat, label in enumerate(labels)
    )
    found = audit_repeatability(made, reading()._replace(case_votes=votes)).on_answers

    assert (found.n_answers, found.flip_rate.n_items, found.flip_rate.flip_rate) == (1, 1, 0.0)
    assert found.least_stable == ()


def test_real_answers_are_told_by_arm_and_tag_with_the_list_of_where_the_judge_flips():
    cases = [
        Case(id=f"c{i}", prompt="p", cluster=f"k{i // 2}", tags=("odd",) if i % 2 else ()) for i in range(20)
    ]
    made = plan(cases=cases, votes=3)
    votes = tuple(
        Vote(Subject(kind="case", id=case.id, arm=arm, answer=0), repeat, Verdict(label, None), repeat)
        for case in cases
        for arm in ("baseline", "candidate")
        for repeat, label in enumerate(
            ["pass", "fail", "pass"] if arm == "candidate" and case.tags else ["fail"] * 3
        )
    )
    found = audit_repeatability(made, reading()._replace(case_votes=votes)).on_answers

    # Of 40 answers 10 waver: two of their three pairs disagree.
    assert (found.unanimous.n, found.unanimous.of, found.unanimous.rate) == (30, 40, 0.75)
    assert (found.self_agreement.n, found.self_agreement.of) == (100, 120)
    assert found.flip_rate.flip_rate == pytest.approx(1 - found.self_agreement.rate) == pytest.approx(1 / 6)
    assert {row.of: row.flip_rate for row in found.slices} == {
        "answers: baseline": 0.0,
        "answers: candidate": pytest.approx(1 / 3),
        "answers, tag: odd": pytest.approx(1 / 3),
    }
    assert found.least_stable[0] == ("c1, candidate, answer 0", pytest.approx(1 / 3))
    assert len(found.least_stable) == 10


def test_a_flip_rate_above_the_ceiling_fails():
    made = plan(anchors=[anchor(f"a{i}", "pass") for i in range(10)], gates=Gates(judge_flip_rate=0.1))
    found = audit_repeatability(made, reading(anchors={f"a{i}": ["pass", "fail", "pass"] for i in range(10)}))

    assert found.status == "fail"
    assert found.reasons == ("flip_rate_high: 0.667 is above the ceiling 0.100",)


def test_error_rates_stand_by_arm_with_exact_limits():
    anchors = [labelled(f"c{i}", arm, "fail") for i in range(10) for arm in ("baseline", "candidate")]
    votes = {a.id: ["pass" if a.arm == "candidate" else "fail"] * 3 for a in anchors}
    found = audit_human_agreement(plan(anchors=anchors), reading(anchors=votes))
    rates = {row.of: row.specificity for row in found.error_rates}

    assert {of: (rate.n, rate.of) for of, rate in rates.items()} == {
        "all": (10, 20),
        "baseline": (10, 10),
        "candidate": (0, 10),
    }
    # R: binom.test(10, 10)$conf.int
    assert found.error_rates[1].specificity_exact.low == pytest.approx(0.6915029, abs=1e-6)


def test_disputed_anchors_are_a_stratum_of_their_own():
    anchors = [anchor("a", "pass", "pass"), anchor("b", "pass", "fail", settled="fail"), anchor("c", "pass")]
    found = audit_human_agreement(plan(anchors=anchors), reading(anchors={k: ["pass"] * 3 for k in "abc"}))

    assert (found.undisputed.n, found.undisputed.of) == (1, 1)
    assert (found.disputed.n, found.disputed.of) == (0, 1)


def test_a_single_rater_has_no_alpha_and_nobody_to_be_left_out():
    made = plan(anchors=[anchor(f"a{i}", "pass" if i % 2 else "fail") for i in range(40)])
    found = audit_human_agreement(
        made, reading(anchors={f"a{i}": ["pass" if i % 2 else "fail"] * 3 for i in range(40)})
    )

    assert found.krippendorff_alpha is None
    assert "1 person" in found.krippendorff_alpha_reason
    assert found.annotator_test.winning_rate is None
    assert "1 person" in found.annotator_test.reason


def test_three_raters_have_an_alternative_annotator_test():
    rng = np.random.default_rng(1)
    truth = rng.random(60) < 0.5
    anchors, votes = [], {}
    for i, good in enumerate(truth):
        labels = ["pass" if good != (rng.random() < 0.1) else "fail" for _ in range(3)]
        anchors.append(anchor(f"a{i}", *labels))
        votes[f"a{i}"] = ["pass" if good else "fail"] * 3
    found = audit_human_agreement(plan(anchors=anchors), reading(anchors=votes))

    assert found.annotator_test.winning_rate == 1.0
    assert len(found.annotator_test.humans) == 3
    assert 0.4 < found.krippendorff_alpha < 0.9


def test_a_missing_rating_is_no_category_of_alpha():
    both = [anchor(f"a{i}", *(["pass" if i % 2 else "fail"] * 2)) for i in range(10)]
    lonely = [anchor(f"b{i}", "pass") for i in range(10)]
    votes = {a.id: ["pass"] * 3 for a in (*both, *lonely)}

    assert (
        audit_human_agreement(plan(anchors=[*both, *lonely]), reading(anchors=votes)).krippendorff_alpha
        == 1.0
    )


def biased(in_group, *, gates, n=60):
    """Anchors of which every other one is long; the judge passes those `in_group` says, else it is right."""
    anchors, votes = [], {}
    for i in range(n):
        good, long = i % 4 < 2, bool(i % 2)
        made = anchor(f"a{i}", "pass" if good else "fail").model_copy(
            update={"answer": "x" * (500 if long else 50)}
        )
        anchors.append(made)
        votes[made.id] = ["pass" if good or in_group(long) else "fail"] * 3
    return audit_bias(plan(anchors=anchors, gates=gates), reading(anchors=votes))


def test_a_judge_that_passes_long_answers_breaks_the_band():
    found = biased(lambda long: long, gates=Gates(bias_band=0.1))
    effect = next(effect for effect in found.effects if effect.of == "length")

    assert found.status == "fail"
    assert effect.difference == pytest.approx(0.5)
    assert any(reason.startswith("bias_length: +0.500") for reason in found.reasons)


def test_without_a_band_bias_is_shown_and_not_audited():
    found = biased(lambda long: long, gates=Gates())

    assert found.status == "not_audited"
    assert "no_band" in found.reasons[0]
    assert found.effects[0].difference == pytest.approx(0.5)


def test_a_judge_of_an_arms_family_is_flagged():
    own = plan(judge=endpoint("j", family="gpt"), baseline=endpoint("a", family="gpt"))
    found = audit_bias(own, reading())

    assert found.same_family == ("baseline",)
    assert "same_family: judge and baseline are both of family gpt" in found.reasons


def pairs(n, *, harsh=0, selection="random"):
    """Both arms labelled alike on n cases; on the first `harsh` the judge fails a good candidate."""
    anchors, votes = [], {}
    for i in range(n):
        for arm in ("baseline", "candidate"):
            human = "pass" if i % 2 else "fail"
            anchors.append(labelled(f"c{i}", arm, human, selection=selection))
            wrong = arm == "candidate" and human == "pass" and i < harsh
            votes[f"c{i}-{arm}"] = ["fail" if wrong else human] * 3
    return anchors, votes


def test_a_judge_that_is_harsh_on_one_arm_fails_against_the_margin():
    anchors, votes = pairs(100, harsh=60)
    found = audit_differential(plan(anchors=anchors), reading(anchors=votes))

    assert found.status == "fail"
    assert (found.judge_difference, found.human_difference) == (pytest.approx(-0.3), 0.0)
    assert found.reasons[0].startswith("differential_error: -0.300")


def test_even_errors_on_enough_anchors_are_within_the_margin():
    anchors, votes = pairs(400)

    assert audit_differential(plan(anchors=anchors), reading(anchors=votes)).status == "pass"


def test_anchors_on_one_arm_only_audit_no_difference():
    anchors, votes = pairs(50)
    one = [a for a in anchors if a.arm == "baseline"]
    found = audit_differential(plan(anchors=one), reading(anchors=votes))

    assert (found.status, found.rectifier) == ("not_audited", None)
    assert found.reasons == ("one_arm: anchors were labelled on baseline alone",)


def test_held_out_anchors_stay_out_of_the_difference():
    anchors, votes = pairs(50)
    made = plan(anchors=anchors).model_copy(update={"held_out": tuple(f"c{i}" for i in range(20))})

    assert audit_differential(made, reading(anchors=votes)).n_cases == 30


def result(case, baseline, candidate):
    return CaseResult(
        case,
        case,
        (),
        1.0,
        "exploratory",
        (graded("pass" if baseline else "fail"),),
        (graded("pass" if candidate else "fail"),),
    )


def scaled(n_anchors, n_cases, *, selection="random"):
    anchors, votes = pairs(n_anchors, harsh=n_anchors // 4, selection=selection)
    cases = [Case(id=f"c{i}", prompt=f"p{i}") for i in range(n_cases)]
    results = [result(f"c{i}", i % 2, i % 3 == 0) for i in range(n_cases)]
    return human_scale(
        plan(anchors=anchors, cases=cases), reading(anchors=votes, cases=results), side="exploratory"
    )


def test_curated_anchors_are_never_combined():
    found = scaled(60, 200, selection="curated")
    rows = {row.of: row for row in found.rows}

    assert rows["combined"].difference is None
    assert "not_combined" in found.reason
    assert rows["judge_only"].difference is not None
    assert found.tuning is None


def test_too_few_anchors_are_not_combined():
    assert scaled(9, 200).tuning is None


def test_enough_random_anchors_give_three_rows_side_by_side():
    found = scaled(60, 200)

    assert (found.n_anchors, found.n_unlabelled) == (60, 140)
    assert [row.of for row in found.rows] == ["judge_only", "human_only", "combined"]


def test_an_arm_without_anchors_of_its_own_is_not_corrected():
    cases = [Case(id=f"c{i}", prompt=f"p{i}") for i in range(20)]
    found = human_scale(
        plan(anchors=[anchor("a", "pass")], cases=cases),
        reading(anchors={"a": ["pass"] * 3}, cases=[result(f"c{i}", 1, 0) for i in range(20)]),
        side="exploratory",
    )

    assert [arm.estimate for arm in found.arms] == [None, None]
    assert "none of the anchors" in found.arms[0].reason
    assert found.reason.startswith("no_pairs")


def test_on_a_scale_a_far_miss_counts_more_and_the_weighted_coefficients_have_intervals():
    people = ["1", "2", "3"] * 10

    def audited(missed):
        made = plan(anchors=[anchor(f"a{i}", label, label) for i, label in enumerate(people)])
        scale = made.judge.model_copy(
            update={"labels": ("1", "2", "3"), "scores": (1.0, 2.0, 3.0), "passing": ("3",)}
        )
        votes = {f"a{i}": [missed if i < 4 and label == "1" else label] * 3 for i, label in enumerate(people)}
        return audit_human_agreement(made.model_copy(update={"judge": scale}), reading(anchors=votes))

    near, far = audited("2"), audited("3")

    assert near.agreement.n == far.agreement.n == 28
    assert near.kappa_weighted > far.kappa_weighted
    assert near.gwet_ac2 > far.gwet_ac2
    assert near.kappa_weighted_interval.low < near.kappa_weighted < near.kappa_weighted_interval.high
    assert near.gwet_ac2_interval.low < near.gwet_ac2 < near.gwet_ac2_interval.high
