"""The audits of a judge that compares two answers."""

import pytest
from pairs import a_judge

from harness.audits import (
    audit_bias,
    audit_canaries,
    audit_differential,
    audit_human_agreement,
    audit_repeatability,
    audit_routing,
    count_completeness,
    human_scale,
    judge_fitness,
)
from harness.audits.history import audit_kept
from harness.domain.calls import Subject
from harness.domain.cases import Anchor, Canary, Case, Review
from harness.domain.findings import Audits
from harness.domain.manifest import Manifest
from harness.domain.specs import Gates
from harness.domain.verdicts import CaseResult, Verdict, Vote, graded
from tests.audits.readings import endpoint, plan, reading

N_VOTES = 3


def votes(kind, name, ours_first, theirs_first, *, answer=None):
    """Votes of both orders on one pair; each is a text of labels, ``-`` for an unreadable one."""
    ours, theirs = ("candidate", "baseline") if kind == "case" else ("answer", "other")
    return [
        Vote(
            Subject(kind=kind, id=name, answer=answer, first=first),
            repeat,
            Verdict(None, "unreadable") if label == "-" else Verdict(label, None),
            1000 * repeat,
        )
        for first, labels in ((theirs, theirs_first), (ours, ours_first))
        for repeat, label in enumerate(labels)
    ]


def pair_plan(**fields):
    """A plan whose judge compares two answers."""
    return plan(**fields).model_copy(update={"judge": a_judge()})


def pair_reading(*found, **fields):
    """A reading with these votes."""
    by_kind = {
        f"{kind}_votes": tuple(vote for some in found for vote in some if vote.subject.kind == kind)
        for kind in ("case", "anchor", "canary")
    }
    return reading(**fields)._replace(**by_kind)


def an_anchor(name, *labels, answer="an answer", other="another answer", **fields):
    return Anchor(
        id=name,
        prompt="p",
        answer=answer,
        other=other,
        reviews=tuple(Review(by=f"r{n}", label=label) for n, label in enumerate(labels)),
        selection="random",
        **fields,
    )


def a_canary(name="k", expected="loss", kind="planted"):
    return Canary(
        id=name, prompt="p", answer="bad", other="good", expected=expected, grader="judge", kind=kind, why="w"
    )


@pytest.mark.parametrize(
    ("ours_first", "theirs_first", "found", "survived"),
    [("BBB", "AAA", "loss", False), ("AAA", "AAA", "tie", True), ("AAB", "BBB", "win", True)],
)
def test_a_canary_must_lose_in_both_orders(ours_first, theirs_first, found, survived):
    given = pair_plan(canaries=[a_canary()])

    result = audit_canaries(given, pair_reading(votes("canary", "k", ours_first, theirs_first))).canaries[0]

    assert (result.found, result.survived, result.n_votes) == (found, survived, 6)


def test_how_often_single_votes_failed_is_counted_in_both_orders():
    given = pair_plan(canaries=[a_canary()])

    result = audit_canaries(given, pair_reading(votes("canary", "k", "BBA", "AA-"))).canaries[0]

    assert (result.found, result.n_votes, result.n_as_expected) == ("loss", 5, 4)


@pytest.mark.parametrize(
    ("ours_first", "theirs_first", "code"),
    [
        ("BBB", "BBB", "injection_obeyed"),
        ("AAA", "BBB", "injection_obeyed"),
        ("AAA", "AAA", "canary_survived"),
    ],
)
def test_an_injection_is_obeyed_where_it_wins_from_the_place_it_names(ours_first, theirs_first, code):
    given = pair_plan(canaries=[a_canary(kind="forged-verdict")])

    finding = audit_canaries(given, pair_reading(votes("canary", "k", ours_first, theirs_first)))

    assert finding.reasons[0] == f"{code}: k"


def test_both_orders_are_both_directions():
    given = pair_plan(canaries=[a_canary()])

    assert audit_canaries(given, pair_reading(votes("canary", "k", "BBB", "AAA"))).reasons == ()


def test_repeatability_counts_votes_within_one_order_and_the_anchor_once():
    given = pair_plan(anchors=[an_anchor("a1"), an_anchor("a2")], gates=Gates(judge_flip_rate=0.9))
    found = audit_repeatability(
        given, pair_reading(votes("anchor", "a1", "AAA", "BBB"), votes("anchor", "a2", "AAB", "BBB"))
    )

    assert (found.n_anchors, found.n_votes) == (2, 12)
    assert (found.self_agreement.n, found.self_agreement.of) == (10, 12)
    assert (found.unanimous.n, found.unanimous.of) == (1, 2)
    assert found.least_stable == (("a2 (answer first)", pytest.approx(1 / 3)),)
    assert found.shift is None


def test_agreement_compares_preferences_and_passes_nothing():
    anchors = [
        an_anchor("a1", "win", "win"),
        an_anchor("a2", "loss"),
        an_anchor("a3", "tie"),
        an_anchor("a4", "win"),
    ]
    given = pair_plan(anchors=anchors, gates=Gates(judge_agreement=0.5))
    found = audit_human_agreement(
        given,
        pair_reading(
            votes("anchor", "a1", "AAA", "BBB"),
            votes("anchor", "a2", "BBB", "AAA"),
            votes("anchor", "a3", "AAA", "AAA"),
            votes("anchor", "a4", "---", "BBB"),
        ),
    )

    assert (found.agreement.n, found.agreement.of, found.n_no_judge_label) == (3, 3, 1)
    assert {(cell.human, cell.judge) for cell in found.confusion} == {
        ("win", "win"),
        ("loss", "loss"),
        ("tie", "tie"),
    }
    assert (found.pass_agreement, found.sensitivity, found.specificity, found.error_rates) == (
        None,
        None,
        None,
        (),
    )


def slots(plan_, *orders, band=None):
    """The position effect on anchors with these votes, one vote an order."""
    found = audit_bias(
        plan_, pair_reading(*(votes("anchor", f"a{n}", *each) for n, each in enumerate(orders)))
    )
    return found, {effect.of: effect for effect in found.position}["anchors"]


def test_position_counts_reversals_by_the_place_they_go_to():
    orders = [("A", "B")] * 6 + [("A", "A")] * 3 + [("B", "B")] + [("C", "A"), ("C", "C")]
    given = pair_plan(votes=1, anchors=[an_anchor(f"a{n}") for n in range(12)])
    _, effect = slots(given, *orders)

    assert (effect.consistent.n, effect.consistent.of) == (7, 12)
    assert (effect.reversed.n, effect.to_first.n, effect.to_first.of) == (4, 3, 4)
    assert effect.difference == pytest.approx(2 / 12)
    # Exact two-sided sign test of 3 against 1: 2 * (4 + 1) / 2**4.
    assert effect.pvalue == pytest.approx(0.625)
    assert effect.flipped == ("a6", "a7", "a8", "a9")


@pytest.mark.parametrize(
    ("orders", "status"),
    [
        ([("A", "A")] * 40, "fail"),
        ([("A", "B")] * 60, "pass"),
        ([("A", "A")] + [("A", "B")] * 9, "not_audited"),
    ],
)
def test_the_place_is_held_against_the_band(orders, status):
    anchors = [an_anchor(f"a{n}") for n in range(len(orders))]
    given = pair_plan(votes=1, anchors=anchors, gates=Gates(bias_band=0.1))
    finding, effect = slots(given, *orders)

    assert (effect.status, finding.status) == (status, status)
    assert (effect.reason or "").startswith("" if status == "pass" else "bias_position")


def test_without_a_band_the_place_is_told_and_not_ruled():
    given = pair_plan(votes=1, anchors=[an_anchor(f"a{n}") for n in range(20)])
    finding, effect = slots(given, *[("A", "A")] * 20)

    assert (effect.status, finding.status, effect.difference) == ("not_audited", "not_audited", 1.0)
    assert any(reason.startswith("no_band") for reason in finding.reasons)


def test_repeats_of_one_case_are_one_cluster():
    cases = [Case(id=f"c{n}", prompt="p", cluster="all" if n < 2 else None) for n in range(4)]
    given = pair_plan(votes=1, answers=2, cases=cases)
    found = [votes("case", f"c{n}", "A", "A" if n < 2 else "B", answer=r) for n in range(4) for r in range(2)]
    effect = audit_bias(given, pair_reading(*found)).position[0]

    assert (effect.of, effect.n_pairs, effect.difference) == ("answers", 8, 0.5)
    assert effect.interval.low == -1.0 or effect.interval.low < 0 < effect.interval.high
    assert effect.flipped[0] == "c0, repeat 0"


def test_held_out_cases_are_in_no_position_effect():
    cases = [Case(id="c0", prompt="p"), Case(id="c1", prompt="p")]
    given = pair_plan(votes=1, cases=cases).model_copy(update={"held_out": ("c1",)})
    found = audit_bias(given, pair_reading(*(votes("case", f"c{n}", "A", "A", answer=0) for n in range(2))))

    assert found.position[0].n_pairs == 1


def wins(judged, human):
    """One label for each order, such that the pair comes to this."""
    return {"win": ("A", "B"), "loss": ("B", "A"), "tie": ("C", "C")}[judged], human


def biased(n, *, judge):
    """Anchors whose first answer is longer on every even one, and what the judge says of them."""
    anchors, found = [], []
    for number in range(n):
        longer = number % 2 == 0
        truth = ("win", "loss")[number // 2 % 2]
        anchors.append(an_anchor(f"a{number}", truth, answer="x" * (90 if longer else 30), other="y" * 60))
        label = judge(truth, longer)
        found.append(votes("anchor", f"a{number}", *wins(label, truth)[0]))
    return anchors, found


@pytest.mark.parametrize(
    ("judge", "difference", "status"),
    [
        (lambda truth, longer: truth, 0.0, "pass"),
        (lambda truth, longer: "win" if longer else "loss", 1.0, "fail"),
        (lambda truth, longer: "loss" if longer else "win", -1.0, "fail"),
    ],
)
def test_length_is_told_at_equal_preference_of_people(judge, difference, status):
    anchors, found = biased(120, judge=judge)
    given = pair_plan(votes=1, anchors=anchors, gates=Gates(bias_band=0.1))
    effect = {e.of: e for e in audit_bias(given, pair_reading(*found)).effects}["length"]

    assert effect.difference == pytest.approx(difference)
    assert (effect.status, effect.n_inside, effect.n_outside) == (status, 120, 0)


def test_self_preference_wants_the_families_of_both_arms():
    anchors = [
        an_anchor(f"a{n}", ("win", "loss")[n % 2], case=f"c{n}", arm=("candidate", "baseline")[n // 2 % 2])
        for n in range(40)
    ]
    found = [votes("anchor", a.id, *(("A", "B") if a.arm == "candidate" else ("B", "A"))) for a in anchors]
    given = pair_plan(
        votes=1,
        anchors=anchors,
        cases=[Case(id=f"c{n}", prompt="p") for n in range(40)],
        judge=endpoint("j", family="own"),
        baseline=endpoint("a", family="other"),
    )
    arms = given.experiment.arm.model_copy(update={"candidate": endpoint("b", family="own")})
    given = given.model_copy(update={"experiment": given.experiment.model_copy(update={"arm": arms})})
    effect = {e.of: e for e in audit_bias(given, pair_reading(*found)).effects}["self_preference"]

    assert (effect.n_inside, effect.difference) == (40, 1.0)


def test_the_judges_difference_is_held_against_peoples_on_both_arms():
    anchors = [
        an_anchor("a0", "win", case="c0", arm="candidate"),
        an_anchor("a1", "win", case="c1", arm="baseline"),
        an_anchor("a2", "tie", case="c2", arm="baseline"),
        an_anchor("a3", "win"),
    ]
    cases = [Case(id=f"c{n}", prompt="p") for n in range(3)]
    given = pair_plan(votes=1, anchors=anchors, cases=cases)
    found = audit_differential(
        given,
        pair_reading(
            votes("anchor", "a0", "A", "B"), votes("anchor", "a1", "B", "A"), votes("anchor", "a2", "B", "A")
        ),
    )

    # People: +1, -1, 0. The judge: +1, then the candidate twice, since the baseline's answer loses.
    assert (found.n_cases, found.human_difference, found.judge_difference) == (3, 0.0, 1.0)


def test_an_arm_alone_has_no_rate_to_correct():
    given = pair_plan(votes=1, anchors=[an_anchor("a0", "win", case="c1", arm="candidate")])
    result = CaseResult("c1", "c1", (), 1.0, "exploratory", (graded("fail"),), (graded("pass"),))
    found = human_scale(
        given, pair_reading(votes("anchor", "a0", "A", "B"), cases=[result]), side="exploratory"
    )

    assert found.arms == ()
    assert (found.n_anchors, found.rows[1].n_cases) == (1, 1)


def test_a_vote_on_two_answers_counts_in_both_arms():
    given = pair_plan(votes=2)
    result = CaseResult("c1", "c1", (), 1.0, "exploratory", (graded("fail"),), (graded("pass"),))
    found = count_completeness(
        given,
        pair_reading(votes("case", "c1", "AA", "B-", answer=0), cases=[result]),
        n_calls_planned=6,
        n_calls_answered=6,
        opened=False,
    )

    assert [(arm.n_votes_asked, arm.n_votes, arm.votes_missing) for arm in found.arms] == [
        (4, 3, (("unreadable", 1),))
    ] * 2


def fit_for(canaries):
    given = pair_plan(
        canaries=canaries,
        anchors=[an_anchor(f"a{n}", "win") for n in range(30)],
        gates=Gates(judge_flip_rate=0.2, judge_agreement=0.8),
    )
    found = [votes("anchor", f"a{n}", "AAA", "BBB") for n in range(30)]
    found += [
        votes("canary", c.id, *({"loss": ("BBB", "AAA"), "tie": ("CCC", "CCC")}[c.expected]))
        for c in canaries
    ]
    read = pair_reading(*found)
    audits = Audits(
        canaries=audit_canaries(given, read),
        routing=audit_routing(given, read),
        repeatability=audit_repeatability(given, read),
        human_agreement=audit_human_agreement(given, read),
        bias=audit_bias(given, read),
        differential=audit_differential(given, read),
    )
    return judge_fitness(given, audits)


def test_a_judge_that_is_right_in_both_orders_is_fit():
    assert fit_for([a_canary()]).status == "fit"


def test_a_canary_with_a_winner_is_needed():
    found = fit_for([a_canary(expected="tie")])

    assert found.status == "not_audited"
    assert (
        found.reasons[0] == "canaries_not_audited: no_canaries: none with a winner is planted for the judge"
    )


def test_the_history_keeps_which_preferences_were_right():
    given = pair_plan(votes=1, anchors=[an_anchor("a1", "win"), an_anchor("a2", "win")])
    sha = "0" * 64
    manifest = Manifest(
        plan_sha256=sha,
        evidence_sha256=sha,
        timings_sha256=sha,
        merkle_root=sha,
        n_records=4,
        n_failed=0,
        n_attempts=4,
        n_calls=4,
        complete=True,
        started_at="2026-01-01",
        finished_at="2026-01-01",
        harness_version="0",
    )
    read = pair_reading(votes("anchor", "a1", "A", "B"), votes("anchor", "a2", "A", "A"))

    kept = audit_kept(given, read, manifest).anchors
    assert [(each.id, each.label, each.right) for each in kept] == [("a1", "win", True), ("a2", "tie", False)]
