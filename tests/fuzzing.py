"""Mutated bytes for every parser of foreign bytes.

    python tests/fuzzing.py [--seconds 60] [--seed 0]

A parser may refuse its input with an error of ours and in no other way: any
other exception is printed with the input that caused it, and the exit code is 1.
"""

import argparse
import base64
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.backends.recorded import RecordedBackend
from harness.cli.case_proof import read_proof
from harness.cli.project import load
from harness.cli.read_again import ReadAgain
from harness.domain.calls import Evidence, Identity, Response, Subject, Timing
from harness.domain.canonical import canonical_bytes, strict_json
from harness.domain.carried import CarriedReading, CarriedVerdict
from harness.domain.cases import Canary, Case
from harness.domain.completion import MalformedBody, read_completion
from harness.domain.errors import HarnessError, InputError
from harness.domain.specs import Experiment, JudgeSpec
from harness.domain.usual_completion import read_usual_completion
from harness.graders.checks import grade_by_checks
from harness.graders.reply import read_reply
from harness.importers.results import read_results
from harness.importers.votes import read_votes
from harness.inputs.exposures import read_exposures
from harness.inputs.jsonl import read_jsonl
from harness.inputs.ledger import read_looks
from harness.inputs.lock import read_lock
from harness.inputs.toml import read_toml
from harness.redaction.lines import committed, read_line, without
from harness.redaction.plan_lines import plan_again, plan_drafts
from harness.redaction.record_lines import record_draft
from harness.report.bundle import open_bundle
from harness.report.document import read_report
from harness.report.statement import read_statement
from harness.report.timestamps import read_token

# Of an authority of one's own, by `openssl ts -reply`; without its certificate.
STAMP = (
    "MIIB5jADAgEAMIIB3QYJKoZIhvcNAQcCoIIBzjCCAcoCAQMxDzANBglghkgBZQMEAgEFADByBgsqhkiG9w0BCRABBKBjBGEw"
    "XwIBAQYEKgMEATAxMA0GCWCGSAFlAwQCAQUABCBYkbW1ItXfCG0P8LEQ+9nSG7T8cWOvNNCChqLoRva+AwIBAxgPMjAyNjEx"
    "MzAxMDUwNTNaMAMCAQECCCxvJE46F2JZMYIBPjCCAToCAQEwKjASMRAwDgYDVQQDDAdUZXN0IENBAhQUThreYueDojuEoQm8"
    "uw70aY+Q2jANBglghkgBZQMEAgEFAKCBpDAaBgkqhkiG9w0BCQMxDQYLKoZIhvcNAQkQAQQwHAYJKoZIhvcNAQkFMQ8XDTI2"
    "MTEzMDEwNTA1M1owLwYJKoZIhvcNAQkEMSIEIERsJHNvz/69t5xwh5tqS2AM5MZR33yUjenh5alrFnDRMDcGCyqGSIb3DQEJ"
    "EAIvMSgwJjAkMCIEICOKJIiamCaJATipdZjf3Q3XlE05eM4XMEV6JU61gJprMAoGCCqGSM49BAMCBEcwRQIgQu+iIrPejgVb"
    "RWuwQQwi0+3x8AfR+r0m8h4tIA1lDyMCIQCCvXtQxgc1MEoWSt3x7wVf9Oibv8Gl29sXYgA8yfP37Q=="
)
EVIDENCE = (
    b'{"endpoint":"judge","failure":null,"repeat":0,"request":"%(name)b","response":{"body":"{}","encoding":'
    b'"utf-8","headers":[["x-request-id","r"]],"status":200},"role":"vote","shown":["%(name)b"],"subject":'
    b'{"answer":0,"arm":"baseline","first":null,"id":"c","kind":"case"}}' % {b"name": b"0" * 64}
)
TIMING = (
    b'{"attempts":[{"duration_ms":7,"error":null,"started_ms":1,"status":200,"wait_ms":0}],'
    b'"request":"%b"}' % (b"0" * 64)
)
PROOF = b'{"version":"1","case":"c","commitments":"{}","lines":[],"bundle":null}'
ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "harness" / "template"
PIECES = (
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b":",
    b",",
    b"\n",
    b"\r\n",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"null",
    b"NaN",
    b"1e999",
    b"-0.0",
    b"9" * 40,
    b"\\ud800",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
    b"```",
    b"[[",
    b"]]",
    b"VERDICT:",
    b"true",
    b"'''",
    b"= ",
    b"[" * 2000,
)


class Target(NamedTuple):
    """One parser: what it reads, whole inputs to start from, and what it may raise."""

    name: str
    parse: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    allowed: tuple[type[Exception], ...] = (HarnessError,)


def from_file(read: Callable[[Path], object], name: str) -> Callable[[bytes], object]:
    """Return a parser of bytes for a reader of files."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))

    def parse(content: bytes) -> object:
        path = folder / name
        path.write_bytes(content)
        return read(path)

    return parse


def targets() -> tuple[Target, ...]:
    """Return every parser of foreign bytes."""
    judge_file = next((TEMPLATE / "judges").glob("*/judge.toml"))
    arena = read_toml(ROOT / "judges" / "arena-rating" / "judge.toml", JudgeSpec)
    strict = read_toml(judge_file, JudgeSpec)
    cases = next((TEMPLATE / "gold").glob("*/cases.jsonl"))
    canaries = next((TEMPLATE / "gold").glob("*/canaries.jsonl"))
    checks = tuple(check for _, case in read_jsonl(cases, Case) for check in case.checks)
    body = b'{"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": "VERDICT: pass"}}]}'
    rows = b'{"id": "a", "passed": true, "repeat": 0, "tags": ["x"]}\n{"id": "b", "score": 0.5}\n'
    votes = (
        b'{"item": "a", "judge": "j", "repeat": 0, "label": "pass"}\n'
        b'{"item": "a", "rater": "r", "label": "fail"}\n'
    )
    replies = b'{"id": "c1", "arm": "baseline", "content": "yes"}\n{"id": "c1", "content": null}\n'
    bundle = (
        b'{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":'
        b'{"hint":"00"}},"dsseEnvelope":{"payload":"e30=","payloadType":"application/vnd.in-toto+json",'
        b'"signatures":[{"sig":"AAAA","keyid":"00"}]}}'
    )
    experiment = TEMPLATE / "experiment.toml"
    return (
        Target("strict_json", strict_json, (body, rows), (ValueError,)),
        Target("completion", read_completion, (body,), (MalformedBody,)),
        Target("usual completion", usual_completion, (body,), (MalformedBody,)),
        Target("evidence line", Evidence.from_json, (EVIDENCE,), (ValueError,)),
        Target("timing line", Timing.from_json, (TIMING,), (ValueError,)),
        Target("json reply", lambda b: read_reply(strict, text(b)), (b'{"verdict": "pass"}',)),
        Target("rating reply", lambda b: read_reply(arena, text(b)), (b"Good.\n\nRating: [[7]]",)),
        Target("checks", lambda b: grade_by_checks(checks, text(b)), (b'{"a": 1}', b"42", b"A")),
        Target(
            "experiment.toml", from_file(lambda p: read_toml(p, Experiment), "e.toml"), (read(experiment),)
        ),
        Target("judge.toml", from_file(lambda p: read_toml(p, JudgeSpec), "j.toml"), (read(judge_file),)),
        Target("cases.jsonl", from_file(lambda p: list(read_jsonl(p, Case)), "c.jsonl"), (read(cases),)),
        Target(
            "canaries.jsonl", from_file(lambda p: list(read_jsonl(p, Canary)), "k.jsonl"), (read(canaries),)
        ),
        Target("results.jsonl", from_file(read_results, "r.jsonl"), (rows,)),
        Target("results.csv", from_file(read_results, "r.csv"), (b"id,passed,tags\na,1,x;y\nb,0,\n",)),
        Target("redacted.jsonl", redacted, (copy_of_a_run(),)),
        Target("time stamp", lambda b: read_token(b, place="t"), (base64.b64decode(STAMP),)),
        Target("proof", lambda b: read_proof(canonical(b), "p"), (PROOF,)),
        *tool_logs(),
        Target("votes.jsonl", from_file(read_votes, "v.jsonl"), (votes,)),
        Target("replies.jsonl", from_file(RecordedBackend, "p.jsonl"), (replies,)),
        Target("looks.jsonl", from_file(read_looks, "l.jsonl"), (b'{"number": 1, "entry": "00"}\n',)),
        Target("exposures.jsonl", from_file(read_exposures, "e.jsonl"), (b'{"number": 1, "cases": []}\n',)),
        Target("lock.json", from_file(read_lock, "x.lock.json"), (b'{"version": "1", "items": []}',)),
        Target("report.json", read_report, (b'{"schema_version": "1", "run": {}}',)),
        Target("bundle", lambda b: open_bundle(b, name="b"), (bundle,)),
        Target(
            "statement", read_statement, (b'{"_type": "https://in-toto.io/Statement/v1", "subject": []}',)
        ),
    )


def usual_completion(content: bytes) -> object:
    """Read a body by both readers: the fast one says what the other says, or nothing."""
    body = text(content)
    read, wanted = read_usual_completion(body), read_completion(body.encode("utf-8", "surrogatepass"))
    assert read is None or read == wanted, (read, wanted)
    return wanted


def copy_of_a_run() -> bytes:
    """Return the lines of a plan and one vote, some of whose texts are withheld."""
    plan = load(TEMPLATE / "experiment.toml")
    plan = plan.model_copy(update={"cases": plan.cases[:2], "held_out": ()})
    drafts = list(plan_drafts(plan, grade=lambda canary: None))
    verdict = CarriedVerdict(n_chars=4, text_tag="0" * 64, outcome="pass", n_prompt_chars=9)
    response = Response(status=200, body='{"choices":[{"message":{"content":"yes!"}}]}')
    subject = Subject(kind="case", id=plan.cases[0].id, arm="baseline")
    record = Evidence(
        request="0" * 64, role="answer", endpoint="baseline", subject=subject, repeat=0, response=response
    )
    timing = Timing(request="0" * 64, attempts=())
    drafts.append(record_draft(record, timing, CarriedReading(verdict, Identity(), None)))
    lines = [committed(draft, secret=bytes(32), index=index) for index, draft in enumerate(drafts)]
    kept = [without(line, {"reference", "prompt"} if n % 2 else set()) for n, line in enumerate(lines)]
    return b"\n".join(canonical_bytes(line) for line in kept)


def redacted(content: bytes) -> object:
    """Read the lines of a copy that withholds texts, in whatever spelling, and what follows from them."""
    lines = [read_line(canonical(line), place="copy") for line in content.split(b"\n")]
    plan = plan_again(line for line in lines if line.committed.kind != "record")
    return list(ReadAgain(plan).records(lines))


def canonical(content: bytes) -> bytes:
    """Return JSON as the harness spells it, so that a mutation reaches what is behind the spelling."""
    try:
        return canonical_bytes(strict_json(content))
    except ValueError as cause:
        raise InputError("not JSON") from cause


def tool_logs() -> Iterator[Target]:
    """Yield the logs of peer tools, short ones of those that there are."""
    logs = ROOT / "tests" / "data" / "tool_logs"
    for name in ("inspect_ai_both-formats.json", "inspect_ai_both-formats.eval", "promptfoo_v2.json"):
        yield Target(name, from_file(read_results, f"log{Path(name).suffix}"), (read(logs / name),))
    for name in ("openai_evals_match.jsonl", "deepeval_test_run_sample.json"):
        yield Target(name, from_file(read_results, f"log{Path(name).suffix}"), (read(logs / name),))
    sample = read(logs / "lm_eval_samples_truthfulqa_gen.jsonl").split(b"\n")[0]
    one_metric = partial(read_results, metric="bleu_acc")
    yield Target("lm-eval samples", from_file(one_metric, "log.jsonl"), (sample,))
    judgment = read(logs / "fastchat_gpt-4_single.jsonl").split(b"\n")[0]
    pair = read(logs / "fastchat_gpt-4_pair.jsonl").split(b"\n")[0]
    yield Target("fastchat pairs", from_file(read_votes, "log.jsonl"), (pair,))
    yield Target("fastchat judgments", from_file(partial(read_results, pass_at=5), "log.jsonl"), (judgment,))


def text(content: bytes) -> str:
    """Return the bytes as a text, whatever they are."""
    return content.decode("utf-8", "replace")


def read(path: Path) -> bytes:
    """Return a file's bytes."""
    return path.read_bytes()


def mutated(rng: random.Random, seed: bytes) -> bytes:
    """Return the seed with a few cuts, flips, repeats and foreign pieces."""
    content = bytearray(seed)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(content) + 1)
        match rng.randrange(5):
            case 0:
                content[at:at] = rng.choice(PIECES)
            case 1:
                del content[at : at + rng.randint(1, 40)]
            case 2 if at < len(content):
                content[at] = rng.randrange(256)
            case 3:
                content[at:at] = content[at : at + rng.randint(1, 80)]
            case _:
                content[at : at + rng.randint(0, 8)] = rng.choice(PIECES)
    return bytes(content)


def faults(rng: random.Random, until: Callable[[int], bool]) -> Iterator[tuple[str, bytes, Exception]]:
    """Yield every input that a parser met with an error that is not ours."""
    known = targets()
    n_inputs = 0
    while not until(n_inputs):
        target = known[n_inputs % len(known)]
        content = mutated(rng, rng.choice(target.seeds))
        n_inputs += 1
        try:
            target.parse(content)
        except target.allowed:
            continue
        except Exception as error:
            yield target.name, content, error


def main() -> int:
    """Fuzz for as long as wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    ends, n_seen, n_faults = time.monotonic() + arguments.seconds, 0, 0

    def over(n_inputs: int) -> bool:
        nonlocal n_seen
        n_seen = n_inputs
        return time.monotonic() > ends

    for name, content, error in faults(random.Random(arguments.seed), over):
        n_faults += 1
        print(f"{name}: {type(error).__name__}: {str(error)[:200]}\n  {content[:300]!r}")
    print(f"{n_seen} inputs, {n_faults} faults")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
