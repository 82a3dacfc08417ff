"""Edits that somebody could make to a signed run, each with what `harness verify` must say to it."""

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness.domain.canonical import canonical_bytes, digest, sha256_hex
from harness.report.bundle import bundle_bytes
from harness.report.keys import SigningKey, key_id, make_key
from harness.store.merkle import MerkleRoot
from harness.store.sealed import measure


class Place(NamedTuple):
    """A signed run, a copy of which is spoilt, and another one signed by the same key."""

    project: Path
    run: Path
    other: Path
    key: SigningKey


class Edit(NamedTuple):
    """One edit: what it does, in words, and a part of the broken claim it must lead to."""

    what: str
    do: Callable[[Place], None]
    caught: str


def replace_text(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text, f"{old!r} is not in {path.name}"
    path.write_bytes(text.replace(old, new, 1).encode())


def change_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_bytes(canonical_bytes(document))


def change_lines(path: Path, change: Callable[[list[bytes]], object]) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))


def change_statement(place: Place, change: Callable[[dict[str, Any]], object], *, key: SigningKey) -> None:
    """Sign a changed statement, with digests of the files as they are now."""
    path = place.run / "report.sigstore.json"
    statement = json.loads(base64.b64decode(json.loads(path.read_bytes())["dsseEnvelope"]["payload"]))
    for subject in statement["subject"]:
        if (place.run / subject["name"]).is_file():
            subject["digest"]["sha256"] = sha256_hex((place.run / subject["name"]).read_bytes())
    change(statement)
    path.write_bytes(bundle_bytes(canonical_bytes(statement), key))


def change_bundle(place: Place, change: Callable[[dict[str, Any]], object]) -> None:
    change_json(place.run / "report.sigstore.json", change)


def seal_again(place: Place) -> None:
    """Make manifest and report fit the evidence's bytes, as a forger would."""
    tree = MerkleRoot()
    evidence = measure(place.run / "evidence.jsonl", tree=tree)
    timings = measure(place.run / "timings.jsonl")
    change_json(
        place.run / "manifest.json",
        lambda it: it.update(
            evidence_sha256=evidence.sha256,
            timings_sha256=timings.sha256,
            merkle_root=tree.root().hex(),
            n_records=evidence.n_lines,
            n_calls=evidence.n_lines,
        ),
    )
    change_json(
        place.run / "report.json",
        lambda it: it["run"].update(evidence_sha256=evidence.sha256, timings_sha256=timings.sha256),
    )


def seal_and_sign_again(place: Place) -> None:
    """Make everything fit the evidence and the manifest as they are now, and sign it with the right key."""
    seal_again(place)
    look = place.run / "look.json"
    manifest = sha256_hex((place.run / "manifest.json").read_bytes())
    change_json(look, lambda it: it.update(run=manifest))
    document = json.loads(look.read_bytes())
    document["entry"] = digest({name: value for name, value in document.items() if name != "entry"})
    for path in (look, place.run / "looks.jsonl", place.project / "gold/small/looks.jsonl"):
        path.write_bytes(canonical_bytes(document) + (b"" if path == look else b"\n"))

    exposure = json.loads((place.run / "exposures.jsonl").read_bytes())
    exposure.update(run=manifest, plan_sha256=document["plan_sha256"])
    exposure["entry"] = digest({name: value for name, value in exposure.items() if name != "entry"})
    for path in (place.run / "exposures.jsonl", place.project / "gold/small/exposures.jsonl"):
        path.write_bytes(canonical_bytes(exposure) + b"\n")

    def follow(statement: dict[str, Any]) -> None:
        plan = json.loads((place.run / "manifest.json").read_bytes())["plan_sha256"]
        statement["predicate"]["plan"].update(sha256=plan)
        root = json.loads((place.run / "manifest.json").read_bytes())["merkle_root"]
        statement["predicate"].update(merkleRoot=root, look=document["entry"])
        statement["predicate"]["ledger"].update(head=document["entry"])

    change_statement(place, follow, key=place.key)


def forge_answer(place: Place) -> None:
    """Turn one answer and sign what then fits together."""
    replace_text(place.run / "evidence.jsonl", "I do it (c00).", "I refuse it (c00).")
    seal_and_sign_again(place)


def forge_request(place: Place) -> None:
    """Name another request where an answer stands, in evidence and timings alike."""
    named = json.loads((place.run / "evidence.jsonl").read_bytes().splitlines()[0])["request"]
    for name in ("evidence.jsonl", "timings.jsonl"):
        replace_text(place.run / name, named, sha256_hex(b"another request"))
    seal_and_sign_again(place)


def forge_address(place: Place) -> None:
    """Say in the evidence that the other arm was asked, under the true request's name."""
    replace_text(place.run / "evidence.jsonl", '"endpoint":"baseline"', '"endpoint":"candidate"')
    seal_and_sign_again(place)


def forge_models(place: Place) -> None:
    """Let the manifest say that another model came back."""
    other = [["baseline", ["m-baseline"]], ["candidate", ["m-better"]]]
    change_json(place.run / "manifest.json", lambda it: it.update(returned_models=other))
    seal_and_sign_again(place)


def forge_split(place: Place) -> None:
    """Let the plan call the last held-out case exploratory, and seal and sign that."""
    _forge_plan(place, lambda it: it["held_out"].pop(), {})


def forge_version(place: Place) -> None:
    """Let the plan be of another version of the gold set than its file, and freeze, seal and sign that."""
    _forge_plan(place, lambda it: it["gold"].update(version="2"), {"gold.version": "2"})


def _forge_plan(
    place: Place, change: Callable[[dict[str, Any]], object], settings: Mapping[str, object]
) -> None:
    plan, lock = place.run / "plan.json", place.run / "experiment.lock.json"
    change_json(plan, change)
    sha256 = sha256_hex(plan.read_bytes())
    change_json(place.run / "manifest.json", lambda it: it.update(plan_sha256=sha256))
    change_json(place.run / "report.json", lambda it: it["plan"].update(sha256=sha256))
    change_json(place.run / "look.json", lambda it: it.update(plan_sha256=sha256))
    change_json(lock, lambda it: it.update(plan_sha256=sha256))
    change_json(lock, lambda it: it["settings"].update(settings))
    _seal_lock(lock)
    seal_and_sign_again(place)


def _run_edit(name: str, do: Callable[[Path], object]) -> Callable[[Place], None]:
    def edit(place: Place) -> None:
        do(place.run / name)

    return edit


def _text(name: str, old: str, new: str) -> Callable[[Place], None]:
    return _run_edit(name, lambda path: replace_text(path, old, new))


def _json(name: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Place], None]:
    return _run_edit(name, lambda path: change_json(path, change))


def _lines(name: str, change: Callable[[list[bytes]], object]) -> Callable[[Place], None]:
    return _run_edit(name, lambda path: change_lines(path, change))


def _bytes(name: str, change: Callable[[bytes], bytes]) -> Callable[[Place], None]:
    return _run_edit(name, lambda path: path.write_bytes(change(path.read_bytes())))


def _gone(name: str) -> Callable[[Place], None]:
    return _run_edit(name, lambda path: path.unlink())


def _other(name: str) -> Callable[[Place], None]:
    return lambda place: _copy(place.other / name, place.run / name)


def _copy(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes())


def _bundle(change: Callable[[dict[str, Any]], object]) -> Callable[[Place], None]:
    return lambda place: change_bundle(place, change)


def _signed(change: Callable[[dict[str, Any]], object]) -> Callable[[Place], None]:
    """The holder of the pinned key signs a statement that was changed."""
    return lambda place: change_statement(place, change, key=place.key)


def _ledger(change: Callable[[Path], object]) -> Callable[[Place], None]:
    return lambda place: _do(change, place.project / "gold/small/looks.jsonl")


def _exposures(change: Callable[[Path], object]) -> Callable[[Place], None]:
    return lambda place: _do(change, place.project / "gold/small/exposures.jsonl")


def _do(change: Callable[[Path], object], path: Path) -> None:
    change(path)


def _fork(path: Path) -> None:
    """Write another first line in the place of the true one, with a chain that holds."""
    look = json.loads(path.read_bytes().splitlines()[0])
    fields = {key: value for key, value in look.items() if key != "entry"}
    fields["opened_at" if "opened_at" in fields else "exposed_at"] = "2026-01-01T00:00:00+00:00"
    path.write_bytes(canonical_bytes({**fields, "entry": digest(fields)}) + b"\n")


def _reseal_lock(path: Path) -> None:
    lock = json.loads(path.read_bytes())
    lock["settings"]["experiment.analysis.margin"] = 0.5
    path.write_text(json.dumps(lock), encoding="utf-8")
    _seal_lock(path)


def _seal_lock(path: Path) -> None:
    lock = json.loads(path.read_bytes())
    lock["seal"] = digest({name: value for name, value in lock.items() if name != "seal"})
    path.write_text(json.dumps(lock), encoding="utf-8")


def _sign_by_another(place: Place) -> None:
    stranger = make_key("p256")
    named = {"keyId": key_id(stranger.public_key()), "throwaway": False}
    change_statement(place, lambda it: it["predicate"].update(signer=named), key=stranger)


def _second_bundle(place: Place) -> None:
    bundle = place.run / "report.sigstore.json"
    true = bundle.read_bytes()
    _sign_by_another(place)
    _copy(bundle, place.run / "report.0123456789abcdef.sigstore.json")
    bundle.write_bytes(true)


def _sign_other_number(place: Place) -> None:
    change_json(place.run / "report.json", lambda it: it["held_out"]["majority"].update(gain=12, both_pass=1))
    change_statement(place, lambda it: None, key=place.key)


def _drop_newest_and_seal(place: Place) -> None:
    change_lines(place.run / "evidence.jsonl", lambda it: it.pop())
    change_lines(place.run / "timings.jsonl", lambda it: it.pop())
    seal_again(place)


def _flip_bit(bundle: dict[str, Any]) -> None:
    signature = bytearray(base64.b64decode(bundle["dsseEnvelope"]["signatures"][0]["sig"]))
    signature[-1] ^= 1
    bundle["dsseEnvelope"]["signatures"][0]["sig"] = base64.b64encode(signature).decode()


def _edit_payload(bundle: dict[str, Any]) -> None:
    payload = base64.b64decode(bundle["dsseEnvelope"]["payload"])
    assert b'"improvement"' in payload
    changed = payload.replace(b'"improvement"', b'"equivalent"')
    bundle["dsseEnvelope"]["payload"] = base64.b64encode(changed).decode()


def _envelope(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda bundle: bundle["dsseEnvelope"].update(fields)


def _material(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda bundle: bundle["verificationMaterial"].update(fields)


def _signature(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda bundle: bundle["dsseEnvelope"]["signatures"][0].update(fields)


def _two_signatures(bundle: dict[str, Any]) -> None:
    bundle["dsseEnvelope"]["signatures"] *= 2


def _swap(lines: list[bytes]) -> None:
    lines[1], lines[2] = lines[2], lines[1]


def _subject(
    name: str, change: Callable[[list[dict[str, Any]], int], object]
) -> Callable[[dict[str, Any]], object]:
    def edit(statement: dict[str, Any]) -> None:
        subjects = statement["subject"]
        change(subjects, next(n for n, each in enumerate(subjects) if each["name"] == name))

    return edit


def _verdict(document: Mapping[str, Any]) -> None:
    document["decision"].update(verdict="equivalent")


def _indented(content: bytes) -> bytes:
    return json.dumps(json.loads(content), indent=1).encode()


_TWIN = {"name": "../../etc/passwd", "digest": {"sha256": "0" * 64}}
_SIGNED, _EVIDENCE, _STATEMENT = "report.json: found sha256", "evidence.jsonl: found sha256", "statement: "

EDITS: tuple[Edit, ...] = (
    Edit("report: the verdict turned", _json("report.json", _verdict), _SIGNED),
    Edit("report: a line end at its end", _bytes("report.json", lambda c: c + b"\n"), "spelled otherwise"),
    Edit("report: a space between two fields", _text("report.json", ',"', ', "'), "spelled otherwise"),
    Edit("report: indented", _bytes("report.json", _indented), "spelled otherwise"),
    Edit(
        "report: a count as an equal float",
        _text("report.json", '"n_cases":13', '"n_cases":13.0'),
        "spelled otherwise",
    ),
    Edit(
        "report: a key twice",
        _text("report.json", '"verdict":', '"verdict":"equivalent","verdict":'),
        "occurs twice",
    ),
    Edit("report: an unknown field", _json("report.json", lambda it: it.update(approved=True)), "approved"),
    Edit(
        "report: NaN for a number",
        _text("report.json", '"alpha":0.05', '"alpha":NaN'),
        "NaN is not a JSON number",
    ),
    Edit("report: bytes behind its end", _bytes("report.json", lambda c: c + b"{}"), "Extra data"),
    Edit(
        "report: a byte-order mark", _bytes("report.json", lambda c: b"\xef\xbb\xbf" + c), "Expecting value"
    ),
    Edit(
        "report: a byte that is not UTF-8",
        _bytes("report.json", lambda c: c.replace(b"better", b"b\xe9tter", 1)),
        "utf-8",
    ),
    Edit("report: cut off", _bytes("report.json", lambda c: c[:-200]), "not strict JSON"),
    Edit("report: taken away", _gone("report.json"), "report.json: is signed and missing"),
    Edit("report: another run's", _other("report.json"), _SIGNED),
    Edit(
        "report and envelope: another run's",
        lambda p: [_other(n)(p) for n in ("report.json", "report.sigstore.json")] and None,
        _EVIDENCE,
    ),
    Edit(
        "evidence: one answer turned",
        _text("evidence.jsonl", "I do it (c00)", "I refuse it (c00)"),
        _EVIDENCE,
    ),
    Edit(
        "evidence: a record dropped",
        _lines("evidence.jsonl", lambda it: it.pop(5)),
        "found 47 records, the manifest counts 48",
    ),
    Edit(
        "evidence: the newest record dropped",
        _lines("evidence.jsonl", lambda it: it.pop()),
        "found 47 records",
    ),
    Edit(
        "evidence and timings: the newest dropped, sealed again",
        _drop_newest_and_seal,
        "manifest.json: found sha256",
    ),
    Edit(
        "evidence: a record added", _lines("evidence.jsonl", lambda it: it.append(it[0])), "found 49 records"
    ),
    Edit("evidence: two records change places", _lines("evidence.jsonl", _swap), "found merkle_root"),
    Edit(
        "evidence: CRLF for its line ends",
        _bytes("evidence.jsonl", lambda c: c.replace(b"\n", b"\r\n")),
        _EVIDENCE,
    ),
    Edit("evidence: no line end at its end", _bytes("evidence.jsonl", lambda c: c[:-1]), _EVIDENCE),
    Edit("evidence: another run's", _other("evidence.jsonl"), _EVIDENCE),
    Edit("evidence: taken away", _gone("evidence.jsonl"), "evidence.jsonl: is signed and missing"),
    Edit(
        "timings: a start moved",
        _text("timings.jsonl", '"started_ms":1', '"started_ms":2'),
        "timings.jsonl: found sha256",
    ),
    Edit(
        "timings: a record dropped",
        _lines("timings.jsonl", lambda it: it.pop()),
        "timings.jsonl: found 47 records",
    ),
    Edit("timings: another run's", _other("timings.jsonl"), "timings.jsonl: found sha256"),
    Edit("timings: taken away", _gone("timings.jsonl"), "timings.jsonl: is signed and missing"),
    Edit(
        "manifest: another root",
        _json("manifest.json", lambda it: it.update(merkle_root="0" * 64)),
        "merkleRoot",
    ),
    Edit(
        "manifest: another count",
        _json("manifest.json", lambda it: it.update(n_records=47)),
        "manifest.json: found sha256",
    ),
    Edit(
        "manifest: failures hidden",
        _json("manifest.json", lambda it: it.update(n_failed=1)),
        "complete contradicts",
    ),
    Edit("manifest: indented", _bytes("manifest.json", _indented), "manifest.json: not in the bytes"),
    Edit("manifest: another run's", _other("manifest.json"), "the manifest names"),
    Edit("manifest: taken away", _gone("manifest.json"), "manifest.json: is signed and missing"),
    Edit(
        "plan: another margin",
        _json("plan.json", lambda it: it["experiment"]["analysis"].update(margin=0.2)),
        "plan.json has the digest",
    ),
    Edit(
        "plan: a held-out case made exploratory",
        _json("plan.json", lambda it: it["held_out"].pop()),
        "plan.json has the digest",
    ),
    Edit(
        "plan: a key twice",
        _text("plan.json", '"version":', '"version":"1","version":'),
        "plan.json: not in the bytes",
    ),
    Edit("plan: another run's", _other("plan.json"), "plan.json has the digest"),
    Edit("plan: taken away", _gone("plan.json"), "plan.json: is signed and missing"),
    Edit(
        "provenance: another version",
        _json("provenance.json", lambda it: it.update(python="3.99")),
        "provenance.json: found sha256",
    ),
    Edit(
        "environment: another version of a package",
        _json("environment.json", lambda it: it["packages"][0].__setitem__(1, "0")),
        "environment.json has the digest",
    ),
    Edit("environment: taken away", _gone("environment.json"), "environment.json: is signed and missing"),
    Edit("provenance: taken away", _gone("provenance.json"), "provenance.json: is signed and missing"),
    Edit(
        "origin: another gold set",
        _json("origin.json", lambda it: it.update(gold="/nowhere")),
        "origin.json: found sha256",
    ),
    Edit("look: taken away", _gone("look.json"), "held-out numbers without a look"),
    Edit(
        "look: dated back",
        _json("look.json", lambda it: it.update(opened_at="2026-01-01T00:00:00+00:00")),
        "look.json: found sha256",
    ),
    Edit(
        "look: at another run",
        _json("look.json", lambda it: it.update(run="0" * 64)),
        "the look was at the run",
    ),
    Edit(
        "kept ledger: shortened",
        _bytes("looks.jsonl", lambda c: b""),
        "is not in the ledger it was signed with",
    ),
    Edit(
        "kept ledger: a line edited", _text("looks.jsonl", '"number":1', '"number":2'), "edited: its entry is"
    ),
    Edit("kept ledger: forked", _run_edit("looks.jsonl", _fork), "is not in the ledger it was signed with"),
    Edit("kept ledger: taken away", _gone("looks.jsonl"), "looks.jsonl: is signed and missing"),
    Edit(
        "kept exposures: shortened",
        _bytes("exposures.jsonl", lambda c: b""),
        "exposures.jsonl of the run does not tell",
    ),
    Edit(
        "kept exposures: a line edited",
        _text("exposures.jsonl", '"shown_by":"report"', '"shown_by":"prove"'),
        "edited: its entry is",
    ),
    Edit("kept exposures: taken away", _gone("exposures.jsonl"), "exposures.jsonl: is signed and missing"),
    Edit(
        "exposures: shortened",
        _exposures(lambda path: path.write_bytes(b"")),
        "is known and not in it; 0 exposures are left",
    ),
    Edit("exposures: forked", _exposures(_fork), "is known and not in it; 1 exposures are left"),
    Edit(
        "exposures: a line edited",
        _exposures(lambda path: replace_text(path, '"shown_by":"report"', '"shown_by":"prove"')),
        "edited: its entry is",
    ),
    Edit(
        "exposures: taken away",
        _exposures(lambda path: path.unlink()),
        "is known and not in it; 0 exposures are left",
    ),
    Edit(
        "ledger: shortened",
        _ledger(lambda path: path.write_bytes(b"")),
        "is known and not in it; 0 looks are left",
    ),
    Edit("ledger: forked", _ledger(_fork), "is known and not in it; 1 looks are left"),
    Edit(
        "ledger: the last line breaks off",
        _ledger(lambda path: path.write_bytes(path.read_bytes()[:-9])),
        "the last line breaks off",
    ),
    Edit(
        "ledger: taken away", _ledger(lambda path: path.unlink()), "is known and not in it; 0 looks are left"
    ),
    Edit(
        "lock: a setting edited", _text("experiment.lock.json", "0.05", "0.07"), "edited after it was written"
    ),
    Edit(
        "lock: a setting edited, sealed again",
        _run_edit("experiment.lock.json", _reseal_lock),
        "experiment.lock.json: found sha256",
    ),
    Edit("lock: another plan's", _other("experiment.lock.json"), "freezes the plan"),
    Edit("lock: taken away", _gone("experiment.lock.json"), "experiment.lock.json: is signed and missing"),
    Edit(
        "bundle: taken away",
        _gone("report.sigstore.json"),
        "report.sigstore.json is missing, and a key is pinned",
    ),
    Edit("bundle: its signature stripped", _bundle(_envelope(signatures=[])), "found 0 signatures"),
    Edit("bundle: a second signature", _bundle(_two_signatures), "found 2 signatures"),
    Edit(
        "bundle: one bit of the signature", _bundle(_flip_bit), "the signature does not fit the signed bytes"
    ),
    Edit(
        "bundle: the verdict in the payload",
        _bundle(_edit_payload),
        "the signature does not fit the signed bytes",
    ),
    Edit("bundle: another payload type", _bundle(_envelope(payloadType="application/json")), "payloadType"),
    Edit(
        "bundle: another media type", _bundle(lambda it: it.update(mediaType="application/json")), "mediaType"
    ),
    Edit(
        "bundle: a field beside the payload",
        _bundle(lambda it: it.update(verdict="PASS")),
        "verdict: Extra inputs",
    ),
    Edit(
        "bundle: a certificate beside the key",
        _bundle(_material(certificate={"rawBytes": "AA=="})),
        "certificate",
    ),
    Edit(
        "bundle: a time stamp that is none",
        _bundle(_material(timestampVerificationData={"rfc3161Timestamps": [{"signedTimestamp": "AAAA"}]})),
        "time stamp: not an RFC 3161 time stamp response",
    ),
    Edit("bundle: a log entry that nobody checked", _bundle(_material(tlogEntries=[{}])), "tlogEntries"),
    Edit(
        "bundle: a hint at another key",
        _bundle(_material(publicKey={"hint": "0" * 64})),
        "keyid and hint name two keys",
    ),
    Edit(
        "bundle: a line break in the base64",
        _bundle(lambda it: it["dsseEnvelope"].update(payload=it["dsseEnvelope"]["payload"] + "\n")),
        "payload: not strict base64",
    ),
    Edit(
        "bundle: a key twice",
        _text("report.sigstore.json", '"payloadType":', '"payloadType":"x","payloadType":'),
        "occurs twice",
    ),
    Edit(
        "bundle: indented",
        _bytes("report.sigstore.json", _indented),
        "report.sigstore.json: the same values, spelled otherwise",
    ),
    Edit(
        "bundle: bytes behind its end",
        _bytes("report.sigstore.json", lambda c: c + b"\n{}"),
        "not strict JSON",
    ),
    Edit("bundle: another run's", _other("report.sigstore.json"), _SIGNED),
    Edit("signed again by another key", _sign_by_another, "by a key that is not pinned"),
    Edit("a second bundle by another key", _second_bundle, "by a key that is not pinned"),
    Edit(
        "a second bundle by the same key",
        lambda p: _copy(p.run / "report.sigstore.json", p.run / "report.00.sigstore.json"),
        "two bundles are by one key",
    ),
    Edit(
        "page: a number painted over",
        _text("report.html", "better", "worse"),
        "report.html: shows something else",
    ),
    Edit(
        "summary: a sentence turned",
        _text("summary.md", "better", "worse"),
        "summary.md: shows something else",
    ),
    Edit(
        "junit: a gate turned",
        _text("junit.xml", "testsuite", "testsuites"),
        "junit.xml: shows something else",
    ),
    Edit(
        "input: a case edited",
        lambda p: replace_text(p.project / "gold/small/cases.jsonl", "Do c00?", "Do c99?"),
        "gold/small/cases.jsonl: found",
    ),
    Edit(
        "input: taken away",
        lambda p: (p.project / "replies.jsonl").unlink(),
        "replies.jsonl: found no such file",
    ),
    Edit(
        "right key: another verdict than the report",
        _signed(lambda it: it["predicate"]["decision"].update(verdict="equivalent")),
        "decision: signed is equivalent",
    ),
    Edit(
        "right key: passed, where the report is not asked",
        _signed(lambda it: it["predicate"].update(passed=False)),
        "passed: signed is False",
    ),
    Edit(
        "right key: fewer looks",
        _signed(lambda it: it["predicate"]["ledger"].update(nLooks=0)),
        "ledger: signed is",
    ),
    Edit(
        "right key: the report is no subject",
        _signed(_subject("report.json", lambda s, n: s.pop(n))),
        "report.json: is there and not signed",
    ),
    Edit(
        "right key: an input is no subject",
        _signed(_subject("inputs/experiment.toml", lambda s, n: s.pop(n))),
        "the signed input files, or their digests",
    ),
    Edit(
        "right key: a subject that is no file of a run",
        _signed(lambda it: it["subject"].append(_TWIN)),
        "no report of a run rests on such a file",
    ),
    Edit(
        "right key: a subject twice",
        _signed(_subject("plan.json", lambda s, n: s.append(s[n]))),
        "a subject is named twice",
    ),
    Edit(
        "right key: another predicate type",
        _signed(lambda it: it.update(predicateType="https://in-toto.io/attestation/test-result/v0.1")),
        "predicateType",
    ),
    Edit(
        "right key: an unknown field in the statement",
        _signed(lambda it: it["predicate"].update(approved=True)),
        "predicate.approved",
    ),
    Edit(
        "right key: says it is another",
        _signed(lambda it: it["predicate"]["signer"].update(keyId="0" * 64)),
        "says it is by",
    ),
    Edit(
        "right key: a number that does not follow",
        _sign_other_number,
        "recompute: does not follow from the evidence",
    ),
    Edit(
        "right key: an answer turned, all sealed and signed again",
        forge_answer,
        "recompute: does not follow from the evidence",
    ),
    Edit(
        "right key: a record of another request, all sealed and signed again",
        forge_request,
        "which plan and answers do not lead to",
    ),
    Edit(
        "right key: a record says another arm was asked, all sealed and signed again",
        forge_address,
        "says other things than the request",
    ),
    Edit(
        "right key: another model in the manifest, all signed again",
        forge_models,
        "manifest: does not follow from the evidence: returned_models",
    ),
    Edit(
        "right key: another plan than its files make, all frozen, sealed and signed again",
        forge_version,
        "plan: experiment.toml makes the plan",
    ),
    Edit(
        "right key: a held-out case called exploratory, all sealed and signed again",
        forge_split,
        "is not the one that its split deals",
    ),
)
