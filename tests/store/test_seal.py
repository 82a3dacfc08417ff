"""A sealed run: the same records give the same bytes, and a change is noticed."""

import json

import pytest
from runs import a_name, a_plan, a_response, a_stored

from harness.domain.calls import Evidence, Failure, Subject
from harness.domain.canonical import canonical_bytes, sha256_hex
from harness.domain.errors import InputError, StoreError, Tampered
from harness.store.evidence import read_evidence, read_manifest, read_timings
from harness.store.merkle import MerkleRoot
from harness.store.run_dir import write_plan
from harness.store.seal import Sealing, seal_run

SEALING = Sealing(plan_sha256="1" * 64, harness_version="0.1.0", stopped=None, locked=False)


def a_record(number, *, failure=None):
    name = a_name(str(number))
    timing = a_stored(name).timing
    record = Evidence(
        request=name,
        role="answer",
        endpoint="baseline",
        subject=Subject(kind="case", id=f"c{number}", arm="baseline"),
        repeat=0,
        response=None if failure else a_response(f"answer \N{SNOWMAN} {number}"),
        failure=failure,
    )
    return record, timing


RECORDS = [a_record(0), a_record(1, failure=Failure(kind="timeout")), a_record(2)]


def seal(path, records=RECORDS, sealing=SEALING):
    return seal_run(path, iter(records), sealing)


def test_what_was_sealed_is_read_back_in_its_order(tmp_path):
    seal(tmp_path)

    assert list(read_evidence(tmp_path)) == [record for record, _ in RECORDS]
    assert list(read_timings(tmp_path)) == [timing for _, timing in RECORDS]


def test_the_manifest_names_the_files_by_digest_and_counts_them(tmp_path):
    manifest = seal(tmp_path)
    tree = MerkleRoot()
    for record, _ in RECORDS:
        tree.add(canonical_bytes(record))

    assert read_manifest(tmp_path) == manifest
    assert manifest.evidence_sha256 == sha256_hex((tmp_path / "evidence.jsonl").read_bytes())
    assert manifest.timings_sha256 == sha256_hex((tmp_path / "timings.jsonl").read_bytes())
    assert manifest.merkle_root == tree.root().hex()
    assert (manifest.n_records, manifest.n_failed, manifest.n_attempts) == (3, 1, 3)
    assert manifest.returned_models == (("baseline", ("m",)),)
    assert manifest.started_at == "2023-11-14T22:13:20.000+00:00"
    assert manifest.finished_at == "2023-11-14T22:13:20.020+00:00"


def test_a_run_with_a_failure_or_a_stop_is_not_complete(tmp_path):
    assert not seal(tmp_path).complete
    assert seal(tmp_path, RECORDS[:1]).complete
    assert not seal(tmp_path, RECORDS[:1], SEALING._replace(stopped="interrupted")).complete


def test_sealing_again_gives_the_same_bytes(tmp_path):
    seal(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    seal(tmp_path)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


def test_every_line_is_one_record_in_canonical_form(tmp_path):
    seal(tmp_path)
    lines = (tmp_path / "evidence.jsonl").read_bytes().split(b"\n")

    assert lines.pop() == b""
    assert [canonical_bytes(json.loads(line)) for line in lines] == lines


def test_an_old_seal_stays_until_the_new_one_is_whole(tmp_path):
    seal(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def breaks_off():
        yield a_record(7)
        raise StoreError("gone")

    with pytest.raises(StoreError, match="gone"):
        seal_run(tmp_path, breaks_off(), SEALING)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


def test_a_run_without_a_call_is_sealed_with_nothing_and_no_times(tmp_path):
    manifest = seal(tmp_path, [])

    assert (manifest.n_records, manifest.started_at, manifest.finished_at) == (0, None, None)


def test_a_directory_that_is_not_sealed_says_so(tmp_path):
    write_plan(tmp_path, a_plan())

    with pytest.raises(InputError, match="not sealed"):
        read_evidence(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"answer", b"Answer", 1),
        lambda text: text.replace(b'"repeat":0', b'"repeat": 0', 1),
        lambda text: text[: text.rindex(b"\n", 0, -1) + 1],
        lambda text: text + text[: text.index(b"\n") + 1],
        lambda text: text[:-1],
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"".join(reversed(text.splitlines(keepends=True))),
    ],
    ids=["edited", "spaced", "last dropped", "added", "no last newline", "crlf", "reordered"],
)
def test_a_changed_evidence_file_is_noticed(tmp_path, change):
    seal(tmp_path)
    path = tmp_path / "evidence.jsonl"
    path.write_bytes(change(path.read_bytes()))

    with pytest.raises(Tampered, match=r"evidence\.jsonl"):
        list(read_evidence(tmp_path))


def test_a_line_that_is_no_record_is_named(tmp_path):
    seal(tmp_path)
    path = tmp_path / "timings.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{}\n" + lines[2])

    with pytest.raises(Tampered, match=r"timings\.jsonl:2"):
        list(read_timings(tmp_path))


def test_a_manifest_with_more_or_other_bytes_is_refused(tmp_path):
    seal(tmp_path)
    path = tmp_path / "manifest.json"
    content = path.read_bytes()

    path.write_bytes(content.replace(b"{", b'{"extra":1,', 1))
    with pytest.raises(Tampered, match="not a manifest"):
        read_manifest(tmp_path)
    path.write_bytes(b" " + content)
    with pytest.raises(Tampered, match="bytes"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b'"repeat":0', b'"repeat":0,"repeat":0'),
        (b'"repeat":0', b'"repeat": 0'),
        (b'{"endpoint":"baseline","failure":null', b'{"failure":null,"endpoint":"baseline"'),
        (b'"endpoint":"baseline"', b'"endpoint":"\\u0062aseline"'),
        (b"}\n", b"}\r\n"),
    ],
)
def test_the_same_record_in_another_spelling_is_refused_though_the_digest_names_it(tmp_path, was, now):
    manifest = seal(tmp_path)
    changed = (tmp_path / "evidence.jsonl").read_bytes().replace(was, now, 1)
    (tmp_path / "evidence.jsonl").write_bytes(changed)
    resealed = manifest.model_copy(update={"evidence_sha256": sha256_hex(changed)})
    (tmp_path / "manifest.json").write_bytes(canonical_bytes(resealed))

    with pytest.raises(Tampered, match=r"evidence\.jsonl:1: not in the bytes that the harness wrote"):
        list(read_evidence(tmp_path))


@pytest.mark.parametrize(
    ("frozen_at", "locked"),
    [("2023-11-14T22:13:20+00:00", True), ("2023-11-14T22:13:21+00:00", False), (None, True)],
)
def test_a_lock_that_comes_after_the_first_call_locks_nothing(tmp_path, frozen_at, locked):
    # The first call started at 1,700,000,000 s, which is 2023-11-14T22:13:20Z.
    manifest = seal(tmp_path, sealing=SEALING._replace(locked=True, frozen_at=frozen_at))

    assert manifest.locked is locked
