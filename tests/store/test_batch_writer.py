"""What was acknowledged is on disk; what fails reaches its waiter."""

import asyncio
import threading

import pytest
from runs import a_name, a_stored

from harness.domain.errors import StoreError
from harness.store.disk import DiskStore
from harness.store.memory import MemoryStore
from harness.store.writer import BatchWriter

NAMES = [a_name(str(n)) for n in range(500)]


class Slow(MemoryStore):
    """Commits only when told to; notes the sizes of its batches."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go = threading.Event()
        self.sizes: list[int] = []

    def add_all(self, batch):
        self.may_go.wait(10)
        self.sizes.append(len(batch))
        return super().add_all(batch)


class Full(MemoryStore):
    def add_all(self, batch):
        raise StoreError("the disk is full")


class Buggy(MemoryStore):
    def add_all(self, batch):
        raise KeyError("a mistake")


async def put_all(store, names=NAMES):
    writer = BatchWriter(store)
    try:
        return await asyncio.gather(*(writer.put(name, a_stored(name)) for name in names))
    finally:
        writer.close()


def test_everything_acknowledged_is_on_disk(tmp_path):
    store = DiskStore(tmp_path / "store")

    assert all(asyncio.run(put_all(store)))
    assert sorted(store.names()) == sorted(NAMES)
    store.close()


def test_what_waits_during_a_commit_goes_into_the_next_one():
    async def work():
        store = Slow()
        writer = BatchWriter(store)
        puts = [asyncio.ensure_future(writer.put(name, a_stored(name))) for name in NAMES]
        await asyncio.sleep(0)
        assert len(store) == 0
        store.may_go.set()
        await asyncio.gather(*puts)
        writer.close()
        return store.sizes

    sizes = asyncio.run(work())
    assert sum(sizes) == len(NAMES)
    assert len(sizes) <= 4


def test_a_put_is_acknowledged_only_after_its_commit():
    async def work():
        store = Slow()
        writer = BatchWriter(store)
        put = asyncio.ensure_future(writer.put(NAMES[0], a_stored()))
        done, _ = await asyncio.wait({put}, timeout=0.05)
        assert not done
        store.may_go.set()
        assert await put
        writer.close()

    asyncio.run(work())


def test_a_put_whose_waiter_is_gone_is_written_all_the_same():
    async def work():
        store = Slow()
        writer = BatchWriter(store)
        put = asyncio.ensure_future(writer.put(NAMES[0], a_stored()))
        await asyncio.sleep(0)
        put.cancel()
        store.may_go.set()
        writer.close()
        return store

    assert list(asyncio.run(work()).names()) == [NAMES[0]]


@pytest.mark.parametrize(("store", "words"), [(Full(), "the disk is full"), (Buggy(), "a mistake")])
def test_a_response_that_cannot_be_written_is_an_error_for_who_waits(store, words):
    with pytest.raises(StoreError, match=words):
        asyncio.run(put_all(store))


def test_closing_leaves_no_thread_behind():
    before = threading.active_count()
    asyncio.run(put_all(MemoryStore()))

    assert threading.active_count() == before
