"""Reading the calls about one subject: a case with its answers and votes, or planted votes."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from msgspec.structs import replace

from harness.domain.calls import Evidence, Side, Subject
from harness.domain.canonical import text_digest
from harness.domain.cases import ARMS, Anchor, Arm, Canary, Case, Split
from harness.domain.errors import InputError, StoreError
from harness.domain.formats import PLAIN
from harness.domain.panel import one_scale
from harness.domain.plan import PANEL_PREFIX, AskedJudge, Plan
from harness.domain.preferences import PairGrade, grade_pair, settled, sides_of
from harness.domain.specs import JudgeSpec
from harness.domain.verdicts import AnswerNote, CaseResult, Graded, Verdict, Vote, graded
from harness.graders.arm_prompt import answer_messages
from harness.graders.checks import grade_by_checks
from harness.graders.found import Found
from harness.graders.opened import NOT_RUN, Opened, opened, text_format, text_length, text_name, verdict_of
from harness.graders.reply import reply_reader
from harness.graders.sealed import Line
from harness.graders.votes import grade_by_panel, votes_grader

_Key = tuple[str, Arm | None, int | None, Side | None, int]
NEVER_ASKED = Verdict(label=None, no_verdict="not_run")


class JudgeRules(NamedTuple):
    """How one judge's replies are read, and its votes on an answer graded."""

    endpoint: str
    spec: JudgeSpec
    read: Callable[[str], Verdict]
    grade: Callable[[tuple[Verdict, ...]], Graded]


class Rules(NamedTuple):
    """What a plan says about reading, prepared once."""

    plan: Plan
    n_answers: int
    n_votes: int
    side: dict[str, Split]
    judges: tuple[JudgeRules, ...]
    scored: bool


def rules_of(plan: Plan) -> Rules:
    """Return the rules of the plan."""
    return Rules(
        plan=plan,
        n_answers=plan.experiment.repeats.answers,
        n_votes=plan.experiment.repeats.votes,
        side=plan.split_of(),
        judges=tuple(_judge_rules(judge) for judge in plan.judges),
        scored=one_scale(plan.judges),
    )


def _judge_rules(judge: AskedJudge) -> JudgeRules:
    return JudgeRules(
        judge.endpoint, judge.spec, read=reply_reader(judge.spec), grade=votes_grader(judge.spec)
    )


def read_planted(rules: Rules, planted: Canary | Anchor, lines: list[Line], found: Found) -> None:
    """Add the votes on a canary or an anchor to what was found; a plan without a judge asks for none."""
    kind: Literal["canary", "anchor"] = "canary" if isinstance(planted, Canary) else "anchor"
    calls = _SubjectCalls(rules, lines, found)
    about, shown = Subject(kind=kind, id=planted.id), text_digest(planted.answer)
    for judge in rules.judges:
        if rules.plan.is_pairwise:
            calls.pair_votes(judge, about, ours=shown, theirs=text_digest(planted.other or ""))
        else:
            calls.votes(judge, about, shown=shown)
    calls.end()


def read_case(rules: Rules, case: Case, lines: list[Line], found: Found) -> CaseResult:
    """Return both arms on the case, and add its votes, identities and notes to what was found.

    Raises:
        StoreError: The evidence contradicts the plan or itself.
        InputError: The case is to be judged, and there is no judge.
    """
    calls = _SubjectCalls(rules, lines, found)
    # One subject for all repeats of an arm: a million answers share what they can.
    asked = {arm: Subject(kind="case", id=case.id, arm=arm) for arm in ARMS}
    n_chars = {arm: prompt_length(rules.plan, case, arm) for arm in ARMS}
    grades: dict[Arm, list[Graded]] = {arm: [] for arm in ARMS}
    for repeat in range(rules.n_answers):
        if rules.plan.is_pairwise:
            pair = calls.pair(case, asked, repeat, n_prompt_chars=n_chars)
            grades["baseline"].append(pair.baseline)
            grades["candidate"].append(pair.candidate)
            continue
        for arm in ARMS:
            grades[arm].append(calls.answer(case, arm, asked[arm], repeat, n_prompt_chars=n_chars[arm]))
    calls.end()
    return CaseResult(
        case=case.id,
        cluster=case.group,
        tags=case.tags,
        weight=case.weight,
        split=rules.side[case.id],
        baseline=tuple(grades["baseline"]),
        candidate=tuple(grades["candidate"]),
    )


class _SubjectCalls:
    """The lines about one subject, taken out one by one: what is left at the end was not planned."""

    def __init__(self, rules: Rules, lines: list[Line], found: Found) -> None:
        self._rules = rules
        self._found = found
        self._left: dict[_Key, Line] = {}
        for line in lines:
            key = _key(line.record.endpoint, line.record.subject, line.record.repeat)
            if key in self._left:
                raise StoreError(f"the evidence holds {_name(line.record)} twice")
            self._left[key] = line

    def answer(self, case: Case, arm: Arm, asked: Subject, repeat: int, *, n_prompt_chars: int) -> Graded:
        """Return the grade of one answer, which is its votes' where the case has no checks."""
        answer, digest = self._answered(case, arm, asked, repeat, n_prompt_chars=n_prompt_chars)
        if case.checks:
            return graded(None, answer.reason) if answer.text is None else checked(case, answer)
        return self._judged(Subject(kind="case", id=case.id, arm=arm, answer=repeat), answer, digest)

    def pair(
        self, case: Case, asked: Mapping[Arm, Subject], repeat: int, *, n_prompt_chars: Mapping[Arm, int]
    ) -> PairGrade:
        """Return what both arms' answers of one repeat come to, compared in both orders."""
        (baseline, theirs), (candidate, ours) = (
            self._answered(case, arm, asked[arm], repeat, n_prompt_chars=n_prompt_chars[arm]) for arm in ARMS
        )
        about, judge = Subject(kind="case", id=case.id, answer=repeat), self._rules.judges[0]
        votes = self.pair_votes(judge, about, ours=ours, theirs=theirs)
        if ours is not None and theirs is not None:
            return grade_pair(settled(judge.spec, votes, asked=self._rules.n_votes))
        # Never shown: who has no text says why, and the other had nothing to be compared with.
        return PairGrade(
            baseline=graded(None, baseline.reason or "unpaired"),
            candidate=graded(None, candidate.reason or "unpaired"),
        )

    def _answered(
        self, case: Case, arm: Arm, asked: Subject, repeat: int, *, n_prompt_chars: int
    ) -> tuple[Opened, str | None]:
        """Return one answer and the digest of its text, and add what the audits need of it."""
        answer = self._call(arm, asked, repeat)[0]
        digest = text_name(answer)
        if digest is not None:
            n_tokens = None if answer.usage is None else answer.usage.prompt_tokens
            n_sent = _sent_chars(answer, n_prompt_chars)
            written = PLAIN if case.checks else text_format(answer)
            self._found.notes.append(
                AnswerNote(case.id, arm, repeat, text_length(answer), digest, n_tokens, n_sent, written)
            )
        return answer, digest

    def _judged(self, about: Subject, answer: Opened, digest: str | None) -> Graded:
        grades = [judge.grade(self.votes(judge, about, shown=digest)) for judge in self._rules.judges]
        if answer.text is None:
            return graded(None, answer.reason)
        if not grades:
            raise InputError(f"case {about.id!r} has no checks, and the plan has no judge")
        return grade_by_panel(grades, scored=self._rules.scored)

    def votes(self, judge: JudgeRules, about: Subject, *, shown: str | None) -> tuple[Verdict, ...]:
        """Return the verdicts of all votes asked for, and add the votes to what was found."""
        digests = None if shown is None else (shown,)
        return tuple(
            self._vote(judge, about, repeat, shown=digests).verdict for repeat in range(self._rules.n_votes)
        )

    def pair_votes(
        self, judge: JudgeRules, about: Subject, *, ours: str | None, theirs: str | None
    ) -> tuple[Vote, ...]:
        """Return the votes on two answers in both orders, and add them to what was found.

        Args:
            judge: How the votes are read.
            about: The pair, without an order.
            ours: Digest of the answer that a win is of; null where it has no text.
            theirs: Digest of the other.
        """
        sides = sides_of(about)
        digests = None if ours is None or theirs is None else (theirs, ours)
        orders = (
            (replace(about, first=sides.theirs), digests),
            (replace(about, first=sides.ours), digests and digests[::-1]),
        )
        return tuple(
            self._vote(judge, order, repeat, shown=shown)
            for order, shown in orders
            for repeat in range(self._rules.n_votes)
        )

    def _vote(self, judge: JudgeRules, about: Subject, repeat: int, *, shown: tuple[str, ...] | None) -> Vote:
        call, line = self._call(judge.endpoint, about, repeat)
        if line is not None:
            _check_shown(line.record, shown)
        started_ms = 0 if line is None else line.started_ms
        vote = Vote(about, repeat, verdict_of(call, judge.read), started_ms, judge.endpoint)
        self._found.votes[about.kind].append(vote)
        return vote

    def end(self) -> None:
        """Check that every line was asked for."""
        for line in self._left.values():
            raise StoreError(f"the evidence holds {_name(line.record)}, which the plan does not ask for")

    def _call(self, endpoint: str, about: Subject, repeat: int) -> tuple[Opened, Line | None]:
        line = self._left.pop(_key(endpoint, about, repeat), None)
        if line is None:
            return NOT_RUN, None
        call = opened(line.record)
        self._found.add_response(line, about, call)
        return call, line


def _key(endpoint: str, about: Subject, repeat: int) -> _Key:
    return (endpoint, about.arm, about.answer, about.first, repeat)


def _check_shown(record: Evidence, shown: tuple[str, ...] | None) -> None:
    if shown is None:
        raise StoreError(f"the evidence holds {_name(record)}, and that answer has no text")
    if record.shown and record.shown != shown:
        raise StoreError(f"{_name(record)} was shown another text than the one in the evidence")


def checked(case: Case, answer: Opened) -> Graded:
    """Return the grade that a case's checks give an answer with text, or gave it before it was withheld."""
    if answer.carried is not None:
        return graded(answer.carried.outcome, answer.carried.no_outcome, answer.carried.score)
    return grade_by_checks(case.checks, answer.text or "")


def _sent_chars(answer: Opened, from_plan: int) -> int:
    return from_plan if answer.carried is None else answer.carried.n_prompt_chars or 0


def prompt_length(plan: Plan, case: Case, arm: Arm) -> int:
    """Return how many characters an arm is sent about a case, over all messages."""
    return sum(len(message.content) for message in answer_messages(plan, case, arm))


def _name(record: Evidence) -> str:
    subject = record.subject
    by = f" of {record.endpoint}" if record.endpoint.startswith(PANEL_PREFIX) else ""
    words = [f"{record.role} {record.repeat}{by} about {subject.kind} {subject.id!r}"]
    words += [subject.arm] if subject.arm is not None else []
    words += [f"answer {subject.answer}"] if subject.answer is not None else []
    words += [f"{subject.first} first"] if subject.first is not None else []
    return ", ".join(words)
