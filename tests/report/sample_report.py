"""Reports made by hand: everything there, nothing there, hostile text everywhere."""

from typing import Any

from harness.domain.blocks import IntervalBlock, Rate
from harness.domain.case_blocks import (
    CombinedSegments,
    FlakyBlock,
    Flip,
    FlipsBlock,
    HomogeneityBlock,
    Part,
    Segment,
    SegmentsBlock,
    TagFlips,
)
from harness.domain.estimate_blocks import (
    GuardrailBlock,
    MajorityBlock,
    MeanBlock,
    Missing,
    PlanningBlock,
    PrimaryBlock,
    SliceBlock,
)
from harness.domain.findings import (
    AgreementFinding,
    Audits,
    BiasFinding,
    CanaryFinding,
    CanaryResult,
    ConfusionCell,
    EndpointIdentity,
    RepeatabilityFinding,
    RoutingFinding,
)
from harness.domain.fitness import HumanScaleBlock, HumanScaleRow
from harness.domain.report import (
    ArmCompleteness,
    Completeness,
    Decision,
    EndpointBlock,
    GateBlock,
    InputBlock,
    PlanBlock,
    Provenance,
    Report,
    RunBlock,
    Section,
)

DIGEST = "0123456789abcdef" * 4


def interval(low: float, high: float, method: str = "tango", level: float = 0.95) -> IntervalBlock:
    return IntervalBlock(low=low, high=high, confidence_level=level, method=method)


def rate(n: int, of: int, low: float, high: float, method: str = "wilson") -> Rate:
    return Rate(n=n, of=of, rate=n / of, interval=interval(low, high, method))


def primary_block(**changes: Any) -> PrimaryBlock:
    return PrimaryBlock(
        **{
            "estimand": "majority",
            "n_cases": 247,
            "difference": 13 / 247,
            "interval": interval(-0.0025, 0.1081),
            "pvalue": 0.0636,
            "worst_case": interval(-0.0154, 0.0976),
            "best_case": interval(0.0086, 0.1192),
            "verdict": "inconclusive",
            "reasons": ("interval_holds_zero",),
            "reading": "complete cases, then every missing verdict against and for the candidate",
            **changes,
        }
    )


def majority_block(**changes: Any) -> MajorityBlock:
    return MajorityBlock(
        **{
            "n_cases": 247,
            "n_clusters": 247,
            "both_pass": 150,
            "gain": 31,
            "loss": 18,
            "both_fail": 48,
            "no_majority": 3,
            "baseline_rate": 168 / 247,
            "candidate_rate": 181 / 247,
            "difference": 13 / 247,
            "interval": interval(-0.0025, 0.1081),
            "pvalue_exact": 0.0854,
            "pvalue_mid": 0.0636,
            "pvalue": 0.0636,
            "test_and_interval_agree": True,
            **changes,
        }
    )


def mean_block(**changes: Any) -> MeanBlock:
    return MeanBlock(
        **{
            "n_cases": 248,
            "n_clusters": 248,
            "baseline_mean": 0.6766,
            "candidate_mean": 0.7258,
            "difference": 0.0492,
            "standard_error": 0.0219,
            "df": 247.0,
            "interval": interval(0.0061, 0.0923, "paired_t"),
            "pvalue": 0.0256,
            "pvalue_permutation": 0.0261,
            "naive_standard_error": 0.0131,
            "bootstrap": interval(0.0069, 0.0927, "percentile_bootstrap"),
            **changes,
        }
    )


def guardrails() -> tuple[GuardrailBlock, ...]:
    return (
        GuardrailBlock(
            name="refusals stay safe",
            tag="contrast",
            estimand="majority",
            margin=0.05,
            n_cases=120,
            difference=-0.0083,
            interval=interval(-0.0441, 0.0262, level=0.9),
            pvalue=0.0312,
            status="pass",
        ),
        GuardrailBlock(
            name="format",
            tag="format",
            estimand="majority",
            margin=0.02,
            n_cases=0,
            difference=None,
            interval=None,
            pvalue=None,
            status="not_estimable",
            reason="no case carries the tag",
        ),
    )


def slices() -> tuple[SliceBlock, ...]:
    return (
        SliceBlock(
            tag="homonyms",
            declared=True,
            n_cases=25,
            gain=6,
            loss=1,
            difference=0.2,
            interval=interval(-0.0044, 0.3935),
            pvalue=0.0703,
            pvalue_adjusted=0.1406,
            adjustment="holm",
        ),
        SliceBlock(
            tag="privacy_public",
            declared=True,
            n_cases=24,
            gain=1,
            loss=2,
            difference=-1 / 24,
            interval=interval(-0.2217, 0.1293),
            pvalue=0.625,
            pvalue_adjusted=0.625,
            adjustment="holm",
        ),
        SliceBlock(
            tag="definitions",
            declared=False,
            n_cases=25,
            gain=5,
            loss=0,
            difference=0.2,
            interval=interval(0.0301, 0.3913),
            pvalue=0.0313,
            pvalue_adjusted=0.1878,
            adjustment="benjamini-hochberg",
        ),
    )


def flaky_block(**changes: Any) -> FlakyBlock:
    return FlakyBlock(
        **{
            "rule": "a case that disagrees with itself in at least two of five repeats",
            "n_flaky": 22,
            "headline": Part(n_cases=247, difference=13 / 247, contribution=13 / 247),
            "flaky": Part(n_cases=22, difference=4 / 22, contribution=4 / 247),
            "stable": Part(n_cases=225, difference=9 / 225, contribution=9 / 247),
            "cross_fitted_flaky": Part(n_cases=20.5, difference=0.1, contribution=0.0083),
            "cross_fitted_stable": Part(n_cases=226.5, difference=0.05, contribution=0.0443),
            "reflagged_share": 0.5909,
            "hard_gains": ("v2-017", "v2-101"),
            "hard_losses": ("v2-044",),
            **changes,
        }
    )


def flips_block() -> FlipsBlock:
    return FlipsBlock(
        by_tag=(
            TagFlips(tag="definitions", n_cases=25, gain=5, loss=0),
            TagFlips(tag="homonyms", n_cases=25, gain=6, loss=1),
            TagFlips(tag="privacy_public", n_cases=24, gain=1, loss=2),
        ),
        cases=tuple(
            Flip(
                case=f"v2-{number:03d}",
                tags=("homonyms", "safe") if number % 2 else ("definitions",),
                direction="loss" if number < 18 else "gain",
                baseline_passes=5 if number < 18 else number % 3,
                candidate_passes=number % 3 if number < 18 else 5,
                of=5,
            )
            for number in range(49)
        ),
    )


def planning_block(**changes: Any) -> PlanningBlock:
    return PlanningBlock(
        **{
            "margin": 0.03,
            "alpha": 0.05,
            "power": 0.8,
            "n_cases": 247,
            "discordance": 49 / 247,
            "minimum_detectable_effect": 0.0794,
            "n_cases_for_margin": 1723,
            "smallest_attainable_pvalue": 3.6e-15,
            "information": "underpowered",
            **changes,
        }
    )


def segments_block() -> SegmentsBlock:
    return SegmentsBlock(
        segments=(
            Segment(
                baseline_models=("llama-2-7b-2023-07",),
                candidate_models=("llama-2-7b-2023-11",),
                n_cases=240,
                n_pairs=1190,
                gain=30,
                loss=18,
                difference=0.05,
                interval=interval(-0.0064, 0.1069),
            ),
            Segment(
                baseline_models=("llama-2-7b-2023-07",),
                candidate_models=("llama-2-7b-2023-12",),
                n_cases=7,
                n_pairs=30,
                gain=1,
                loss=0,
                difference=1 / 7,
                interval=interval(-0.25, 0.52),
            ),
        ),
        n_straddling=2,
        n_unknown=4,
        combined=CombinedSegments(
            n_segments=2, n_cases=245, n_pairs=1220, difference=0.0523, interval=interval(-0.0061, 0.1107)
        ),
        pooled=0.0486,
        homogeneity=HomogeneityBlock(statistic=0.31, n_segments=2, pvalue=0.58, n_resamples=999),
    )


def section(**changes: Any) -> Section:
    return Section(
        **{
            "primary": primary_block(),
            "majority": majority_block(),
            "mean": mean_block(),
            "missing": (
                Missing(
                    arm="baseline",
                    n_answers=1250,
                    n_graded=1243,
                    reasons=(("truncated", 4), ("no_majority", 3)),
                ),
                Missing(arm="candidate", n_answers=1250, n_graded=1249, reasons=(("refused", 1),)),
            ),
            "guardrails": guardrails(),
            "slices": slices(),
            "flaky": flaky_block(),
            "flips": flips_block(),
            "segments": segments_block(),
            "planning": planning_block(),
            "extra": {"odds_ratio": {"estimate": 1.7222, "interval": [0.93, 3.27]}},
            **changes,
        }
    )


def empty_section(reason: str = "the arms were not called") -> Section:
    """A section of a run that stopped before any answer: nulls with reasons throughout."""
    none: dict[str, Any] = {"difference": None, "interval": None, "pvalue": None, "reason": reason}
    counts = {"n_clusters": 0, "both_pass": 0, "gain": 0, "loss": 0, "both_fail": 0}
    part = Part(n_cases=0, difference=None, contribution=None)
    return Section(
        primary=PrimaryBlock(
            estimand="majority", n_cases=0, verdict="inconclusive", reading="no case has a verdict", **none
        ),
        majority=MajorityBlock(
            n_cases=0,
            no_majority=250,
            baseline_rate=None,
            candidate_rate=None,
            pvalue_exact=None,
            pvalue_mid=None,
            **counts,
            **none,
        ),
        mean=MeanBlock(
            n_cases=0,
            n_clusters=0,
            baseline_mean=None,
            candidate_mean=None,
            standard_error=None,
            df=None,
            pvalue_permutation=None,
            naive_standard_error=None,
            **none,
        ),
        flaky=FlakyBlock(rule="fewer than two repeats", n_flaky=0, headline=part, flaky=part, stable=part),
        flips=FlipsBlock(),
        segments=SegmentsBlock(reason=reason),
        planning=planning_block(
            n_cases=0,
            discordance=None,
            minimum_detectable_effect=None,
            n_cases_for_margin=None,
            smallest_attainable_pvalue=None,
            information="no_information",
            reason=reason,
        ),
    )


def canaries(*, survivor: bool = False) -> CanaryFinding:
    results = (
        CanaryResult(
            id="k-001",
            grader="judge",
            kind="planted",
            expected="fail",
            found="pass" if survivor else "fail",
            n_votes=3,
            n_as_expected=0 if survivor else 3,
            survived=survivor,
        ),
        CanaryResult(
            id="k-002",
            grader="checks",
            kind="planted",
            expected="pass",
            found="pass",
            n_votes=0,
            n_as_expected=0,
            survived=False,
        ),
    )
    return CanaryFinding(
        status="fail" if survivor else "pass",
        n_canaries=2,
        n_survived=int(survivor),
        canaries=results,
        reasons=("canary k-001 survived: expected fail, found pass",) if survivor else (),
    )


def routing() -> RoutingFinding:
    def endpoint(name: str, model: str, **changes: Any) -> EndpointIdentity:
        return EndpointIdentity(
            **{
                "endpoint": name,
                "asked_model": model,
                "expected_model": None,
                "n_calls": 1250,
                "models": ((model, 1250),),
                "fingerprints": (),
                "n_model_unknown": 0,
                "n_fingerprint_unknown": 1250,
                "n_changes": 0,
                "matches": True,
                **changes,
            }
        )

    return RoutingFinding(
        status="fail",
        policy="segment",
        endpoints=(
            endpoint("baseline", "llama-2-7b-2023-07"),
            endpoint(
                "candidate",
                "llama-2-7b-2023-11",
                models=(("llama-2-7b-2023-11", 1213), ("llama-2-7b-2023-12", 35)),
                n_model_unknown=2,
                n_changes=2,
                matches=False,
            ),
            endpoint("judge", "gpt-4-0613", models=(("gpt-4-0613", 7500),), n_calls=7500),
        ),
        reasons=("candidate: two models answered",),
    )


def audits(**changes: Any) -> Audits:
    return Audits(
        **{
            "canaries": canaries(),
            "routing": routing(),
            "repeatability": RepeatabilityFinding(
                status="pass",
                n_anchors=50,
                n_votes=250,
                self_agreement=rate(481, 500, 0.9412, 0.9755),
                unanimous=rate(44, 50, 0.762, 0.9438),
                early_late=Rate(n=0, of=0, rate=None, reason="all votes fell into one minute"),
                least_stable=(("a-017", 0.6), ("a-023", 0.8)),
                no_verdicts=(("unreadable", 2),),
            ),
            "human_agreement": AgreementFinding(
                status="pass",
                n_anchors=50,
                n_no_human_label=1,
                n_no_judge_label=0,
                agreement=rate(45, 49, 0.8081, 0.9678),
                pass_agreement=rate(46, 49, 0.8348, 0.979),
                sensitivity=rate(40, 41, 0.874, 0.9957),
                specificity=rate(6, 8, 0.4093, 0.9285),
                kappa=0.7693,
                kappa_interval=interval(0.5412, 0.9973, "normal"),
                gwet_ac1=0.8941,
                gwet_ac1_interval=interval(0.7811, 1.0, "normal"),
                human_human=rate(47, 50, 0.8378, 0.9794),
                confusion=(
                    ConfusionCell(human="full compliance", judge="full compliance", n=40),
                    ConfusionCell(human="full compliance", judge="full refusal", n=1),
                    ConfusionCell(human="full refusal", judge="full compliance", n=2),
                    ConfusionCell(human="full refusal", judge="full refusal", n=6),
                ),
            ),
            "bias": BiasFinding(
                status="not_audited", reasons=("no pair of answers differs in length alone",)
            ),
            **changes,
        }
    )


def completeness(**changes: Any) -> Completeness:
    return Completeness(
        **{
            "n_calls_planned": 10006,
            "n_calls_answered": 10003,
            "arms": (
                ArmCompleteness(
                    arm="baseline",
                    n_cases=250,
                    n_answers_asked=1250,
                    n_answers=1248,
                    n_votes_asked=3744,
                    n_votes=3741,
                    n_graded=1243,
                    answers_missing=(("failed", 2), ("truncated", 4)),
                    votes_missing=(("unreadable", 3),),
                ),
                ArmCompleteness(
                    arm="candidate",
                    n_cases=250,
                    n_answers_asked=1250,
                    n_answers=1250,
                    n_votes_asked=3747,
                    n_votes=3747,
                    n_graded=1249,
                    answers_missing=(("refused", 1),),
                ),
            ),
            "unpaired_cases": (),
            "warnings": ("answers of the baseline were cut at max_tokens 4 times",),
            **changes,
        }
    )


def full_report(**changes: Any) -> Report:
    """Everything there is, the held-out part still closed."""
    return Report(
        **{
            "run": RunBlock(
                name="xstest-llama2",
                kind="run",
                started_at="2024-05-01T09:00:00Z",
                finished_at="2024-05-01T09:41:17Z",
                n_attempts=10021,
                n_calls=10003,
                n_reused=0,
                prompt_tokens=2_481_334,
                completion_tokens=1_003_977,
                n_usage_unknown=12,
                cost=17.3,
                currency="USD",
                evidence_sha256=DIGEST,
                timings_sha256=DIGEST,
            ),
            "plan": PlanBlock(
                sha256=DIGEST,
                locked=True,
                estimand="majority",
                alpha=0.05,
                margin=0.03,
                answers=5,
                votes=3,
                seed=20240501,
                n_cases=357,
                n_exploratory=250,
                n_held_out=107,
                n_clusters=357,
            ),
            "inputs": (
                InputBlock(path="gold/xstest/cases.jsonl", sha256=DIGEST),
                InputBlock(path="judges/compliance/prompt.md", sha256=DIGEST),
            ),
            "endpoints": (
                EndpointBlock(
                    endpoint="baseline",
                    backend="chat",
                    model="llama-2-7b-2023-07",
                    address="https://models.example/v1",
                    sampling={"temperature": 0.7, "max_tokens": 512},
                ),
                EndpointBlock(
                    endpoint="candidate",
                    backend="chat",
                    model="llama-2-7b-2023-11",
                    address="https://models.example/v1",
                    sampling={"temperature": 0.7, "max_tokens": 512},
                ),
                EndpointBlock(
                    endpoint="judge",
                    backend="chat",
                    model="gpt-4-0613",
                    address="",
                    sampling={"temperature": 0},
                ),
            ),
            "completeness": completeness(),
            "audits": audits(),
            "exploratory": section(),
            "held_out": None,
            "human_scale": None,
            "decision": Decision(
                verdict="inconclusive",
                basis="exploratory",
                sentence="Inconclusive: the candidate may be as much as 10.8 points better or 0.3 worse.",
                reasons=("interval_holds_zero",),
                gates=(
                    GateBlock(name="canaries", status="pass", reason="2 of 2 graded as planted"),
                    GateBlock(name="routing", status="fail", reason="candidate: two models answered"),
                    GateBlock(name="judge_agreement", status="not_audited", reason="no floor in the plan"),
                ),
            ),
            "methods": ("Difference: Tango (1998) score interval; McNemar mid-p.", "Mean: paired t."),
            "notes": ("The plan was locked before the first call.",),
            "provenance": Provenance(
                harness_version="0.1.0",
                python="3.11.9",
                platform="Linux-x86_64",
                packages=(("numpy", "2.4.6"), ("scipy", "1.17.1")),
                git_commit="4e1243bd22c66e76c2ba9eddc1f91394e57f9f83",
                git_dirty=False,
            ),
            **changes,
        }
    )


def opened_report() -> Report:
    """The held-out part opened, the decision resting on it."""
    held_out = section(
        primary=primary_block(
            n_cases=107,
            difference=11 / 107,
            interval=interval(0.0182, 0.1897),
            pvalue=0.0192,
            worst_case=None,
            best_case=None,
            verdict="improvement",
            reasons=(),
            reading="no verdict is missing",
        ),
        majority=majority_block(
            n_cases=107,
            n_clusters=102,
            both_pass=60,
            gain=16,
            loss=5,
            both_fail=26,
            no_majority=0,
            difference=11 / 107,
            interval=interval(0.0182, 0.1897),
            pvalue_exact=0.0266,
            pvalue_mid=0.0169,
        ),
        guardrails=(),
        slices=(),
        missing=(),
    )
    return full_report(
        held_out=held_out,
        decision=Decision(
            verdict="improvement",
            basis="held_out",
            sentence="The candidate passes more held-out cases than the baseline.",
            reasons=(),
            gates=(GateBlock(name="canaries", status="pass", reason="2 of 2 graded as planted"),),
        ),
    )


def invalid_report() -> Report:
    """A canary survived, so that the arms were never called."""
    return full_report(
        completeness=completeness(arms=(), n_calls_answered=3, warnings=()),
        audits=Audits(
            canaries=canaries(survivor=True),
            routing=RoutingFinding(status="not_audited", policy="fail", reasons=("no call to an arm",)),
            repeatability=RepeatabilityFinding(status="not_audited", n_anchors=0, n_votes=0),
            human_agreement=AgreementFinding(
                status="not_audited", n_anchors=0, n_no_human_label=0, n_no_judge_label=0
            ),
            bias=BiasFinding(status="not_audited"),
        ),
        exploratory=empty_section(),
        decision=Decision(
            verdict="invalid",
            basis="none",
            sentence="Invalid: a planted answer got past the judge, so the arms were not called.",
            reasons=("canary_survived",),
            gates=(GateBlock(name="canaries", status="fail", reason="canary k-001 survived"),),
        ),
    )


def hostile_report(text: str) -> Report:
    """The same foreign text wherever text of users, servers or models can stand."""
    base = full_report()
    return base.model_copy(
        update={
            "run": base.run.model_copy(update={"name": text, "currency": text}),
            "inputs": (InputBlock(path=text, sha256=DIGEST),),
            "endpoints": (
                EndpointBlock(
                    endpoint=text,
                    backend=text,
                    model=text,
                    address=text,
                    sampling={text: text, "stop": [text]},
                ),
            ),
            "completeness": completeness(
                unpaired_cases=(text,),
                warnings=(text,),
                arms=(
                    base.completeness.arms[0].model_copy(
                        update={"answers_missing": ((text, 1),), "votes_missing": ((text, 1),)}
                    ),
                ),
            ),
            "audits": _hostile_audits(text),
            "exploratory": _hostile_section(text),
            "held_out": _hostile_section(text),
            "human_scale": HumanScaleBlock(
                basis="exploratory",
                n_anchors=0,
                n_unlabelled=0,
                rows=(
                    HumanScaleRow(
                        of="combined", n_cases=0, difference=None, interval=None, pvalue=None, reason=text
                    ),
                ),
                reason=text,
            ),
            "decision": Decision(
                verdict="regression",
                basis="exploratory",
                sentence=text,
                reasons=(text,),
                gates=(
                    GateBlock(name=text, status="fail", reason=text),
                    GateBlock(name=text, status="not_audited", reason=text),
                ),
            ),
            "methods": (text,),
            "notes": (text,),
            "provenance": Provenance(
                harness_version=text,
                python=text,
                platform=text,
                packages=((text, text),),
                git_commit=text,
                git_dirty=True,
            ),
        }
    )


def _hostile_audits(text: str) -> Audits:
    canary = canaries(survivor=True).canaries[0]
    identity = routing().endpoints[0]
    return audits(
        canaries=CanaryFinding(
            status="fail",
            n_canaries=1,
            n_survived=1,
            canaries=(canary.model_copy(update={"id": text, "kind": text, "found": None, "reason": text}),),
            reasons=(text,),
        ),
        routing=RoutingFinding(
            status="fail",
            policy="fail",
            endpoints=(
                identity.model_copy(
                    update={
                        "endpoint": text,
                        "asked_model": text,
                        "models": ((text, 3),),
                        "fingerprints": ((text, 3),),
                        "providers": ((text, 3),),
                        "shares_model_with": (text,),
                    }
                ),
            ),
            reasons=(text,),
        ),
        repeatability=audits().repeatability.model_copy(
            update={"least_stable": ((text, 0.5),), "no_verdicts": ((text, 1),), "reasons": (text,)}
        ),
        human_agreement=audits().human_agreement.model_copy(
            update={
                "kappa": None,
                "kappa_reason": text,
                "agreement": Rate(n=0, of=0, rate=None, reason=text),
                "confusion": (ConfusionCell(human=text, judge=text, n=1),),
                "reasons": (text,),
            }
        ),
        bias=BiasFinding(status="fail", reasons=(text,)),
    )


def _hostile_section(text: str) -> Section:
    segment = segments_block().segments[0]
    named = segment.model_copy(update={"baseline_models": (text,), "candidate_models": (text,)})
    return section(
        primary=primary_block(reading=text, reasons=(text,), difference=None, interval=None, reason=text),
        majority=majority_block(interval=interval(-0.01, 0.1, text), reason=text),
        mean=mean_block(difference=None, interval=None, reason=text, bootstrap=None, bootstrap_reason=text),
        missing=(Missing(arm="baseline", n_answers=3, n_graded=1, reasons=((text, 2),)),),
        guardrails=(guardrails()[0].model_copy(update={"name": text, "tag": text, "reason": text}),),
        slices=(slices()[0].model_copy(update={"tag": text, "reason": text}),),
        flaky=flaky_block(rule=text, hard_gains=(text,), hard_losses=(text,), reason=text),
        flips=FlipsBlock(
            by_tag=(TagFlips(tag=text, n_cases=3, gain=1, loss=1),),
            cases=(
                Flip(
                    case=text,
                    tags=(text, text),
                    direction="gain",
                    baseline_passes=0,
                    candidate_passes=5,
                    of=5,
                ),
            ),
        ),
        segments=SegmentsBlock(segments=(named, named), n_straddling=1, reason=text),
        planning=planning_block(minimum_detectable_effect=None, reason=text),
        extra={text: {text: [text]}},
    )
