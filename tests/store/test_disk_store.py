"""Responses on disk stay, whole, under the names they were given."""

import pickle
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import diskcache
import pytest
from runs import a_name, a_stored

from harness.domain.errors import StoreError
from harness.store.disk import DiskStore, StrictDisk
from harness.store.envelope import Damaged, pack, unpack

NAME = a_name("one")


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def filled(folder: Path, count: int = 1) -> list[str]:
    names = [a_name(str(n)) for n in range(count)]
    store = DiskStore(folder)
    store.add_all([(name, a_stored(name)) for name in names])
    store.close()
    return names


def read_all(folder: Path, names: list[str]) -> None:
    store = DiskStore(folder)
    assert [name for name in names if store.get(name) is None] == []


def edit(folder: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection:
        connection.execute(sql, values)
        connection.commit()


def test_what_was_added_is_there_after_opening_again(tmp_path):
    (name,) = filled(tmp_path / "store")
    store = DiskStore(tmp_path / "store")

    assert store.get(name) == a_stored(name)
    assert list(store.names()) == [name]
    assert len(store) == 1
    store.close()


def test_the_first_response_under_a_name_stays(tmp_path):
    store = DiskStore(tmp_path / "store")

    assert store.add_all([(NAME, a_stored(NAME, "first"))]) == (True,)
    assert store.add_all([(NAME, a_stored(NAME, "second"))]) == (False,)
    assert store.get(NAME) == a_stored(NAME, "first")
    store.close()


def test_a_batch_is_on_disk_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    store = DiskStore(tmp_path / "store")
    names = [a_name(str(n)) for n in range(3)]
    packed = []

    def fails_at_the_last(name, stored):
        packed.append(name)
        if len(packed) == 3:
            raise OSError("no space left on device")
        return pack(name, stored)

    monkeypatch.setattr("harness.store.disk.pack", fails_at_the_last)
    with pytest.raises(StoreError, match="no space left"):
        store.add_all([(name, a_stored(name)) for name in names])

    assert len(store) == 0
    store.close()


def test_nothing_is_thrown_out_of_a_store_that_outgrows_the_usual_limit(tmp_path):
    store = DiskStore(tmp_path / "store")
    store._cache.reset("size_limit", 200_000)
    names = [a_name(str(n)) for n in range(200)]
    for name in names:
        store.add_all([(name, a_stored(name, "x" * 5000))])
    store._cache.cull()

    assert all(store.get(name) is not None for name in names)
    store.close()


def test_large_bodies_stay_inside_the_database(tmp_path):
    store = DiskStore(tmp_path / "store")
    store.add_all([(NAME, a_stored(NAME, "y" * 3_000_000))])

    assert {path.name.partition("-")[0] for path in (tmp_path / "store").iterdir()} == {"cache.db"}
    assert store.get(NAME) == a_stored(NAME, "y" * 3_000_000)
    store.close()


def test_the_folder_is_closed_to_others(tmp_path):
    filled(tmp_path / "store")

    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name", ["", "x", NAME.upper(), NAME + "0", "../" + NAME[3:], ("a", "b"), 7, NAME + "\n"]
)
def test_only_the_name_of_a_request_is_a_key(tmp_path, name):
    store = DiskStore(tmp_path / "store")
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        store.get(name)
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        store.add_all([(name, a_stored())])
    store.close()


def test_equal_names_built_apart_are_one_key(tmp_path):
    store = DiskStore(tmp_path / "store")
    store.add_all([("".join(["ab"] * 32), a_stored())])

    assert store.get("ab" * 32) is not None
    store.close()


@pytest.mark.parametrize("value", [{"a": 1}, "text", 3, None, [b"x"]])
def test_no_value_but_bytes_is_taken(tmp_path, value):
    cache = diskcache.Cache(str(tmp_path), disk=StrictDisk)
    with pytest.raises(TypeError, match="wanted bytes"):
        cache.add("k", value)
    cache.close()


def test_a_pickled_row_is_refused_and_not_run(tmp_path):
    trace = tmp_path / "trace"
    (name,) = filled(tmp_path / "store")
    edit(tmp_path / "store", "UPDATE Cache SET mode = 4, value = ?", pickle.dumps(Bomb(trace)))

    with pytest.raises(StoreError, match="does not write"):
        DiskStore(tmp_path / "store")
    cache = diskcache.Cache(str(tmp_path / "store"), disk=StrictDisk)
    with pytest.raises(Damaged):
        cache.get(name)
    cache.close()
    assert not trace.exists()


def test_a_pickled_key_is_refused_and_not_run(tmp_path):
    trace = tmp_path / "trace"
    filled(tmp_path / "store")
    edit(tmp_path / "store", "UPDATE Cache SET raw = 0, key = ?", pickle.dumps(Bomb(trace)))

    with pytest.raises(StoreError, match="does not write"):
        DiskStore(tmp_path / "store")
    cache = diskcache.Cache(str(tmp_path / "store"), disk=StrictDisk)
    with pytest.raises(Damaged):
        list(cache)
    cache.close()
    assert not trace.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE Cache SET filename = '../../../../etc/passwd', mode = 2",
        "UPDATE Cache SET expire_time = 1.0",
        "UPDATE Cache SET value = 'text'",
        "INSERT INTO Settings VALUES ('sqlite_writable_schema', 1)",
        "INSERT INTO Settings VALUES ('_disk', 1)",
        "CREATE VIEW Extra AS SELECT 1",
        "CREATE TABLE Extra (x)",
    ],
)
def test_a_database_with_what_the_harness_does_not_write_is_refused(tmp_path, sql):
    filled(tmp_path / "store")
    edit(tmp_path / "store", sql)

    with pytest.raises(StoreError, match="does not write"):
        DiskStore(tmp_path / "store")


@pytest.mark.parametrize(
    "changed",
    [
        "zeroblob(length(value))",
        "substr(value, 1, length(value) - 1)",
        "CAST(x'02' || substr(value, 2) AS BLOB)",
        "CAST(substr(value, 1, 40) || 'x' || substr(value, 42) AS BLOB)",
    ],
)
def test_a_changed_row_is_an_error_and_not_a_miss(tmp_path, changed):
    names = filled(tmp_path / "store", 2)
    edit(tmp_path / "store", f"UPDATE Cache SET value = {changed} WHERE key = ?", names[0])
    store = DiskStore(tmp_path / "store")

    with pytest.raises(StoreError, match=names[0]) as caught:
        store.get(names[0])
    assert str(tmp_path / "store") in str(caught.value)
    assert store.get(names[1]) is not None
    assert len(store) == 2
    store.close()


def test_a_row_that_was_moved_under_another_name_is_damaged():
    envelope = pack(NAME, a_stored(NAME))

    assert unpack(NAME, envelope) == a_stored(NAME)
    with pytest.raises(Damaged, match="checksum"):
        unpack(a_name("other"), envelope)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_hundred_bytes_overwritten_are_noticed_before_anything_is_asked_again(tmp_path, share):
    names = filled(tmp_path / "store", 200)
    path = tmp_path / "store" / "cache.db"
    content = bytearray(path.read_bytes())
    start = int(len(content) * share)
    content[start : start + 100] = b"\xa5" * 100
    path.write_bytes(content)

    with pytest.raises(StoreError) as caught:
        read_all(tmp_path / "store", names)
    assert str(tmp_path / "store") in str(caught.value)
    assert "Nothing was deleted" in str(caught.value)
    assert path.read_bytes() == content


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "cache.db").write_bytes(b"not a database at all, but long enough to be one" * 30)

    with pytest.raises(StoreError, match="not a database"):
        DiskStore(tmp_path / "store")
    assert (tmp_path / "store" / "cache.db").read_bytes().startswith(b"not a database")


def test_a_folder_that_is_a_file_is_one_clear_line(tmp_path):
    (tmp_path / "store").write_text("")

    with pytest.raises(StoreError, match="store"):
        DiskStore(tmp_path / "store")


def test_a_response_set_aside_is_asked_again_and_still_there(tmp_path):
    store = DiskStore(tmp_path / "store")
    for text in ("blocked", "blocked again", "an answer"):
        assert store.add_all([(NAME, a_stored(NAME, text))]) == (True,)
        held = store.set_aside(NAME) if text != "an answer" else True
        assert held

    assert store.get(NAME) == a_stored(NAME, "an answer")
    assert list(store.names()) == [NAME]
    assert len(list(store._cache)) == 3
    assert not store.set_aside(a_name("never asked"))
    store.close()
