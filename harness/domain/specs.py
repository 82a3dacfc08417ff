"""What an experiment is made of, as people write it: gold set, judge, endpoints, settings."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, StringConstraints, model_validator

from harness.domain.record import Count, JsonObject, Positive, Record, Sha256, Share, Text, nothing

Estimand = Literal["majority", "mean"]
JudgeMode = Literal["single", "pairwise"]
RoutingPolicy = Literal["fail", "segment", "accept"]
Unit = Annotated[float, Field(gt=0, lt=1)]


class SplitSpec(Record):
    """How cases are dealt to the exploratory and the held-out part.

    The side of a cluster is a keyed digest of its name, so that a new case
    never moves an old one. ``looks`` is how often the held-out part may be
    opened; alpha is shared out among that many looks. Null is no limit, and
    then no look pays for the others. Two prompts whose similarity reaches
    ``similarity`` are near-duplicates and never on two sides; null looks for none.
    """

    salt: Text
    held_out: Share
    by: Literal["cluster", "case"]
    looks: Positive | None = None
    similarity: Annotated[float, Field(gt=0, le=1)] | None = None


class GoldSpec(Record):
    """``gold/NAME/set.toml``."""

    name: Text
    license: Text
    why: Text
    version: Text = "1"
    source: str | None = None
    split: SplitSpec


class JudgeSpec(Record):
    """``judges/NAME/judge.toml``: what a judge is asked and how its reply is read.

    A reply is read from one place: the ``field`` of a JSON object, the last
    line that starts with ``marker``, or wherever ``open`` and ``close`` stand.
    ``open`` and ``close`` are what the label stands between, such as ``[[`` and
    ``]]``. ``scores`` are the labels'
    values, in their order. A judge of single answers says which labels are
    ``passing``; a pairwise one which of them prefer the answer shown ``first``,
    the one shown ``second``, or neither (``tie``).
    """

    name: Text
    version: Text
    mode: JudgeMode
    labels: Annotated[tuple[Text, ...], Field(min_length=2)]
    passing: tuple[Text, ...] = ()
    first: tuple[Text, ...] = ()
    second: tuple[Text, ...] = ()
    tie: tuple[Text, ...] = ()
    scores: tuple[float, ...] | None = None
    reply: Literal["json", "last-line", "bracketed"]
    field: Text | None = None
    marker: str | None = None
    open: str = ""
    close: str = ""
    aliases: JsonObject = Field(default_factory=nothing)
    prompt: Text
    prompt_sha256: Sha256
    system: str | None = None
    family: Text | None = None
    why: Text

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if len(set(self.labels)) != len(self.labels):
            raise ValueError("labels: one of them is named twice")
        (_refuse_unlike_single if self.mode == "single" else _refuse_unlike_pairwise)(self)
        if self.reply == "json" and not self.field:
            raise ValueError('field: wanted with reply = "json"')
        if self.reply == "last-line" and self.marker is None:
            raise ValueError('marker: wanted with reply = "last-line" ("" for a bare last line)')
        if self.reply == "bracketed":
            _refuse_unbracketed(self)
        for label, words in self.aliases.items():
            if label not in self.labels:
                raise ValueError(f"aliases: {label!r} is not one of the labels")
            if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words):
                raise ValueError(f"aliases.{label}: wanted a list of texts")
        return self


def _refuse_unbracketed(judge: JudgeSpec) -> None:
    if not judge.open.strip() or not judge.close.strip():
        raise ValueError('open, close: wanted with reply = "bracketed", such as "[[" and "]]"')
    if judge.marker:
        raise ValueError('marker: a bracketed label needs none; wanted reply = "last-line" with it')


def _refuse_unlike_single(judge: JudgeSpec) -> None:
    for key in _PREFERRING:
        if getattr(judge, key):
            raise ValueError(f'{key}: says what a pair comes to, and mode is "single"; wanted passing')
    if not judge.passing:
        raise ValueError('passing: wanted with mode = "single": the labels that pass')
    _refuse_unknown_labels(judge, "passing")
    if len(set(judge.passing)) >= len(judge.labels):
        raise ValueError("passing: every label passes, so nothing can fail")
    if judge.scores is not None and len(judge.scores) != len(judge.labels):
        raise ValueError(f"scores: {len(judge.scores)} values for {len(judge.labels)} labels")


def _refuse_unlike_pairwise(judge: JudgeSpec) -> None:
    if judge.passing:
        raise ValueError('passing: a pair passes nothing, and mode is "pairwise"; wanted first and second')
    if judge.scores is not None:
        raise ValueError('scores: a preference has no score, and mode is "pairwise"')
    for key in ("first", "second"):
        if not getattr(judge, key):
            raise ValueError(f'{key}: wanted with mode = "pairwise": the labels that prefer the {key} answer')
    for key in _PREFERRING:
        _refuse_unknown_labels(judge, key)
    placed = [*judge.first, *judge.second, *judge.tie]
    for label in judge.labels:
        n = placed.count(label)
        if n != 1:
            raise ValueError(f"labels: {label!r} stands {n} times in first, second and tie, wanted once")


def _refuse_unknown_labels(judge: JudgeSpec, key: str) -> None:
    unknown = [label for label in getattr(judge, key) if label not in judge.labels]
    if unknown:
        raise ValueError(f"{key}: {unknown[0]!r} is not one of the labels {list(judge.labels)}")


_PREFERRING = ("first", "second", "tie")


class Limits(Record):
    """How hard an endpoint may be asked. Durations in seconds."""

    in_flight: Positive = 16
    connect_s: Annotated[float, Field(gt=0)] = 5.0
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    attempts: Positive = 6
    total_s: Annotated[float, Field(gt=0)] = 300.0
    longest_wait_s: Annotated[float, Field(gt=0)] = 60.0
    per_minute: Positive | None = None


_SECRET_WORDS = {"authorization", "auth", "key", "apikey", "token", "secret", "cookie", "password"}


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


# A token of RFC 9110, section 5.6.2.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def _check_base_url(base_url: str) -> None:
    # The value is never repeated in a message: it may hold a key.
    try:
        parts = urlsplit(base_url)
        well_formed = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        well_formed = False
    if not well_formed or any(char.isspace() or not char.isprintable() for char in base_url):
        raise ValueError("base_url: wanted an address such as https://host/v1")
    if parts.username or parts.password:
        raise ValueError("base_url: holds a user or a password; name it in api_key_env or headers instead")
    names = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if names - {"api-version"} or parts.fragment:
        raise ValueError("base_url: has a query; only api-version may stand there, keys go to api_key_env")


def _check_headers(headers: Mapping[str, Any]) -> None:
    for name, value in headers.items():
        if not isinstance(value, str):
            raise ValueError(f"headers.{name}: wanted a text")
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError("headers: a name has a character that cannot stand there")
        if not (value.isascii() and value.isprintable()) or value != value.strip():
            raise ValueError(f"headers.{name}: wanted printable ASCII without a space at an end")
        if _SECRET_WORDS & set(re.split("[-_]", name.lower())) and not value.startswith("env:"):
            raise ValueError(f'headers.{name}: wanted "env:NAME", the environment variable that holds it')


class Price(Record):
    """Cost of a million tokens, in the currency of the budget."""

    prompt: Annotated[float, Field(ge=0, le=1e9)]
    completion: Annotated[float, Field(ge=0, le=1e9)]


class EndpointSpec(Record):
    """One arm or one judge: where it is and with which settings it is asked.

    ``sampling`` goes into the request body as it stands; a setting that is
    absent, null or 0 is three different things. ``expect_model`` pins the id
    that must come back. ``replies`` names the file of recorded replies. A value
    of ``headers`` that reads ``env:NAME`` is taken from the environment when
    the call is made; keys stand nowhere else, since the spec is written down.
    """

    backend: Literal["chat", "recorded"]
    model: Text
    base_url: str | None = None
    api_key_env: Text | None = None
    template: Text | None = None
    system: Text | None = None
    replies: Text | None = None
    sampling: JsonObject = Field(default_factory=nothing)
    headers: JsonObject = Field(default_factory=nothing)
    expect_model: Text | None = None
    family: Text | None = None
    price: Price | None = None
    limits: Limits = Limits()
    retry_filtered: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.backend == "chat" and self.base_url is None:
            raise ValueError('base_url: wanted with backend = "chat"')
        if self.backend == "recorded" and not self.replies:
            raise ValueError('replies: wanted with backend = "recorded"')
        ours = {"model", "messages", "n", "stream"} & set(self.sampling)
        if ours:
            raise ValueError(f"sampling.{min(ours)}: not a sampling setting; the harness sets it")
        if self.base_url is not None:
            _check_base_url(self.base_url)
        if self.api_key_env is not None and not _VARIABLE.fullmatch(self.api_key_env):
            raise ValueError("api_key_env: wanted the name of a variable, such as OPENAI_API_KEY, not a key")
        _check_headers(self.headers)
        return self


# No repeat beyond this tells more; without an end to it a slip of the hand plans a trillion calls.
MOST_REPEATS = 1000
Repeated = Annotated[int, Field(ge=1, le=MOST_REPEATS)]


class Repeats(Record):
    """K answers of each arm to a case, and votes of the judge on each answer."""

    answers: Repeated
    votes: Repeated = 1


class Guardrail(Record):
    """Something that must not get worse by more than ``margin``; ``tag`` narrows it to a slice."""

    name: Text
    margin: Unit
    tag: Text | None = None
    estimand: Estimand = "majority"


class AnalysisSpec(Record):
    """The analysis, decided before the data.

    ``margin`` is the smallest difference that matters, as a share. ``primary``
    says whether an answer counts as its pass or as its score. ``slices`` are
    tags. ``weights`` maps tags to their share of the target population.
    """

    estimand: Estimand = "majority"
    primary: Literal["pass", "score"] = "pass"
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    margin: Unit
    power: Unit = 0.8
    guardrails: tuple[Guardrail, ...] = ()
    slices: tuple[Text, ...] = ()
    weights: JsonObject = Field(default_factory=nothing)
    seed: Count
    missing: Literal["no_verdict", "fail"] = "no_verdict"

    @model_validator(mode="after")
    def _weights_are_shares(self) -> Self:
        for tag, share in self.weights.items():
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1e9:
                raise ValueError(f"weights.{tag}: found {share!r}, wanted a number from 0 to 1e9")
        if self.weights and sum(self.weights.values()) <= 0:
            raise ValueError("weights: all of them are 0")
        return self


class Gates(Record):
    """Rules that can fail a run. A floor that is null is not a gate.

    ``probes`` plants the built-in canaries of the judge. ``judge_sensitivity``
    and ``judge_specificity`` are floors, ``judge_flip_rate`` is a ceiling, and
    ``drift`` is the share of anchors whose majority may differ between two
    audits. ``bias_band`` is how much more often the judge may pass answers of a
    group at equal human label; ``answer_bias_band`` how much of the arms' own
    pass rates may go with format or length; ``verbosity_band`` how much longer
    or shorter, as a share, the candidate's answers may be.
    """

    routing: RoutingPolicy = "fail"
    completeness: Share = 0.9
    judge_agreement: Share | None = None
    judge_repeatability: Share | None = None
    probes: bool = False
    judge_sensitivity: Share | None = None
    judge_specificity: Share | None = None
    judge_flip_rate: Share | None = None
    bias_band: Unit | None = None
    answer_bias_band: Unit | None = None
    verbosity_band: Unit | None = None
    drift: Share = 0.1
    same_model_as_judge: Literal["note", "fail"] = "note"


class Budget(Record):
    """Where a run stops asking. Null is no limit; ``seconds`` is wall-clock time."""

    calls: Positive | None = None
    cost: Annotated[float, Field(gt=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    currency: Text = "USD"


class SequentialSpec(Record):
    """``[sequential]``: cases in a seeded random order, and no more once the evidence is enough.

    ``batch`` is how many exploratory cases are asked between two looks, and
    ``n_max`` how many are asked at most; null is all of them. Clusters are
    asked as wholes. Held-out cases have no part in the stop: all of them are
    asked after it, or with ``ask_held_out = false`` none.
    """

    batch: Positive
    n_max: Positive | None = None
    ask_held_out: bool = True


def undeclared(spec: Record | None) -> bool:
    """Return whether a section is not there: then a plan is written, and named, as if there never was one."""
    return spec is None


class ArmSpecs(Record):
    """``[arm.baseline]`` and ``[arm.candidate]``."""

    baseline: EndpointSpec
    candidate: EndpointSpec


class JudgeUse(Record):
    """``[judge]``: which judge, and the endpoint that answers for it."""

    spec: Text
    endpoint: EndpointSpec


class PanelUse(JudgeUse):
    """``[[panel]]``: one judge of several. ``name`` tells it from the others, everywhere."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=40)]


def nobody(panel: tuple[Record, ...]) -> bool:
    """Return whether there is no panel: then a plan is written, and named, as if there never could be."""
    return not panel


class Experiment(Record):
    """``experiment.toml``. Paths are relative to the file. It has ``judge``, or ``panel``, or neither."""

    name: Text
    gold: Text
    anchors: Text | None = None
    judge: JudgeUse | None = None
    panel: Annotated[tuple[PanelUse, ...], Field(exclude_if=nobody)] = ()
    arm: ArmSpecs
    repeats: Repeats
    analysis: AnalysisSpec
    gates: Gates = Gates()
    budget: Budget = Budget()
    sequential: Annotated[SequentialSpec | None, Field(exclude_if=undeclared)] = None
    why: str | None = None

    @model_validator(mode="after")
    def _one_judge_or_several(self) -> Self:
        names = [judge.name.lower() for judge in self.panel]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if self.panel and self.judge is not None:
            raise ValueError("panel: found [judge] beside it, wanted one judge or a panel")
        if len(self.panel) == 1:
            raise ValueError("panel: found one judge, wanted two or more; a single judge is [judge]")
        if twice is not None:
            raise ValueError(
                f"panel: two judges are named {twice!r}, upper and lower case alike; "
                "wanted a name of its own for each"
            )
        return self
