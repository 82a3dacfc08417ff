"""A panel is fit when every judge is and its majority too; one unfit judge makes it unfit."""

import pytest

from harness.analysis.variance import IN_CALLS
from harness.audits import human_scale, panel_fitness
from harness.audits.fitness import judge_fitness
from harness.audits.judge_verdicts import judge_verdicts
from harness.cli.panel import audit_run
from harness.cli.repeats import costs
from harness.domain.cases import Anchor, Canary, Review
from harness.domain.fitness import JudgeFitness
from harness.domain.specs import Gates
from harness.domain.verdicts import graded
from harness.graders.panel import SeenRun
from tests.panels import as_panel, asked
from tests.runs import a_plan

FLOORS = Gates(judge_flip_rate=0.3, judge_agreement=0.8)
CANARIES = [
    Canary(id=f"k-{expected}", prompt="p", answer=f"{expected}?", expected=expected, grader="judge", why="w")
    for expected in ("pass", "fail")
]
ANCHORS = [
    Anchor(
        id=f"a{n}",
        prompt="p",
        answer=f"{label}? {n}",
        reviews=(Review(by="r1", label=label), Review(by="r2", label=label)),
        selection="random",
    )
    for n, label in enumerate(["pass", "fail"] * 15)
]


def panel():
    made = as_panel(a_plan(cases=2, answers=1, votes=3), "x", "y", "z", anchors=ANCHORS)
    experiment = made.experiment.model_copy(update={"gates": FLOORS})
    return made.model_copy(update={"experiment": experiment, "canaries": tuple(CANARIES)})


def good(request):
    """What every judge says who reads the first word of what it is shown."""
    return "VERDICT: pass" if "pass?" in request.body else "VERDICT: fail"


def script(**others):
    """All endpoints do well, but for the judges that are named."""

    def say(request):
        if request.role == "answer":
            return "pass? so" if request.endpoint == "candidate" else "fail? so"
        return others.get(request.endpoint.removeprefix("judge:"), good)(request)

    return say


def fitness_of(say):
    made = panel()
    return audit_run(SeenRun(made, asked(made, say)), None).audits.judge


def test_a_panel_of_fit_judges_is_fit():
    found = fitness_of(script())

    assert found.status == "fit"
    assert [part.name for part in found.parts if part.name.startswith("judge:")] == [
        "judge:x",
        "judge:y",
        "judge:z",
    ]


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (lambda request: "VERDICT: pass", "canary_survived"),
        (lambda request: "no form at all", "canary_survived"),
        (
            lambda request: good(request) if request.subject.kind == "canary" else "VERDICT: fail",
            "agreement with people 0.500 is below the floor",
        ),
        (
            lambda request: "So so." if request.subject.kind == "case" else good(request),
            "verdicts_missing",
        ),
    ],
)
def test_one_broken_judge_of_three_makes_the_panel_unfit_and_is_named(broken, code):
    found = fitness_of(script(y=broken))

    assert found.status == "unfit"
    assert found.reasons
    assert all(reason.startswith("panel_judge_unfit: judge:y: ") for reason in found.reasons)
    assert any(code in reason for reason in found.reasons)


def test_answers_that_a_judge_was_never_asked_about_are_no_verdicts_missing():
    made = panel()
    reading = asked(made, script())
    never = graded(None, "not_run")
    cases = tuple(
        result._replace(baseline=(never,) * len(result.baseline), candidate=(never,) * len(result.candidate))
        for result in reading.cases
    )
    few = reading._replace(cases=(reading.cases[0], *cases[1:]))

    assert judge_verdicts(made, few).status == "pass"
    assert judge_verdicts(made, reading._replace(cases=cases)).status == "not_audited"


def test_a_judge_that_wavers_is_unfit_though_the_panel_repeats_itself():
    def wavering(request):
        flips = request.subject.kind == "anchor" and request.repeat == 1
        other = {"VERDICT: pass": "VERDICT: fail", "VERDICT: fail": "VERDICT: pass"}
        return other[good(request)] if flips else good(request)

    made = panel()
    audits = audit_run(SeenRun(made, asked(made, script(z=wavering))), None).audits

    assert audits.repeatability.flip_rate.flip_rate == 0
    assert audits.judge.status == "unfit"
    assert all("judge:z: flip_rate_high" in reason for reason in audits.judge.reasons)


def test_a_judge_that_was_not_audited_leaves_the_panel_not_audited():
    made = panel()
    seen = SeenRun(made, asked(made, script()))
    audits = audit_run(seen, None).audits
    fit, unknown = judge_fitness(seen.whole.plan, audits), JudgeFitness(status="not_audited", needed=True)
    found = panel_fitness(seen.whole.plan, audits, [("judge:x", fit), ("judge:y", unknown)])

    assert fit.status == "fit"
    assert found.status == "not_audited"
    assert any(reason.startswith("panel_judge_not_audited: judge:y") for reason in found.reasons)


def test_what_people_would_say_is_set_beside_the_majority_of_the_panel():
    # People fail the baseline on six cases, and pass the candidate on three of them.
    on_arms = [
        Anchor(
            id=f"{arm}-{n}",
            prompt="p",
            answer="pass? so" if arm == "candidate" and n >= 4 else "fail? so",
            reviews=(Review(by="r", label="pass" if arm == "candidate" and n % 2 else "fail"),),
            selection="random",
            case=f"c{n}",
            arm=arm,
        )
        for n in range(6)
        for arm in ("baseline", "candidate")
    ]

    def say(request):
        if request.role == "answer":
            better = request.endpoint == "candidate" and int(request.subject.id[1:]) >= 4
            return "pass? so" if better else "fail? so"
        # One of the three sees no difference between the arms: the majority does, on eight of twelve.
        return "VERDICT: pass" if request.endpoint == "judge:y" else good(request)

    made = as_panel(a_plan(cases=12, answers=1, votes=1), "x", "y", "z", anchors=on_arms)
    found = human_scale(*SeenRun(made, asked(made, say)).whole, side="exploratory")
    rows = {row.of: (row.n_cases, row.difference) for row in found.rows}

    assert rows["judge_only"] == (12, pytest.approx(8 / 12))
    assert rows["human_only"] == (6, pytest.approx(3 / 6))


def test_a_vote_of_a_panel_costs_what_all_its_judges_cost():
    single, made = a_plan(), panel()

    assert costs(made, asked(made, script())).vote == 3 * IN_CALLS.vote
    assert costs(single, asked(single, script())).vote == IN_CALLS.vote
