"""How the arms' scores moved between two runs, and what that is due to."""

from harness.audits import Audited, audit_drift
from harness.domain.cases import Case
from harness.domain.verdicts import AnswerNote
from tests.analysis.results import case
from tests.audits.readings import call, plan, reading

N = 12
CASES = tuple(Case(id=f"c{i}", prompt=f"p{i}") for i in range(N))


def run(passes, *, texts=None, cases=CASES, model="a", held_out=()):
    results = [case(each.id, [passes(i)], [1]) for i, each in enumerate(cases)]
    notes = [
        AnswerNote(
            case=each.id,
            arm="baseline",
            repeat=0,
            n_chars=1,
            text_sha256=texts or each.id,
            prompt_tokens=None,
            expected_prompt_chars=1,
        )
        for each in cases
    ]
    who = [call("baseline", model, 1, fingerprint="f"), call("candidate", "b", 1, fingerprint="f")]
    planned = plan(cases=cases).model_copy(update={"held_out": held_out})
    return Audited(planned, reading(cases=results, notes=notes, identities=who))


def test_an_arm_whose_cases_all_changed_has_moved():
    baseline, candidate = audit_drift(run(lambda i: 1), run(lambda i: 0, texts="other")).scores

    assert (baseline.then, baseline.now, baseline.difference, baseline.n_cases) == (1.0, 0.0, -1.0, N)
    # All twelve signs alike: 2 / 2^12.
    assert baseline.pvalue == 2 / 2**N
    assert (candidate.difference, candidate.pvalue) == (0.0, 1.0)
    assert candidate.interval is not None
    assert candidate.interval.low < 0 < candidate.interval.high


def test_the_same_text_graded_otherwise_is_counted():
    baseline, _ = audit_drift(run(lambda i: 1), run(lambda i: int(i > 2))).scores

    assert (baseline.n_same_text, baseline.n_other_outcome) == (N, 3)


def test_a_case_that_reads_otherwise_and_a_held_out_one_are_not_compared():
    other = (Case(id="c0", prompt="another"), *CASES[1:])

    baseline, _ = audit_drift(run(lambda i: 1), run(lambda i: 1, cases=other, held_out=("c1", "c2"))).scores

    assert baseline.n_cases == N - 3


def test_a_backend_that_changed_is_blamed_where_there_is_no_judge():
    runs = run(lambda i: 1), run(lambda i: 0, model="a-2")
    unjudged = []
    for plan_, reading_ in runs:
        experiment = plan_.experiment.model_copy(update={"judge": None})
        unjudged.append(Audited(plan_.model_copy(update={"judge": None, "experiment": experiment}), reading_))

    found = audit_drift(*unjudged)

    assert found.attribution == "backend_changed"
    assert found.evidence[0].startswith("baseline: pass rate 1.000 then, 0.000 now, 12 cases (p = 0.00049)")
    assert "baseline: returned model changed from a to a-2" in found.evidence
    assert found.reasons == ("no_judge: the plan has no judge",)
