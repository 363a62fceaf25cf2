"""A compaction makes few files of many, and loses nothing: interrupted, beside readers, writers."""

import errno
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from headwater.errors import LakeUnavailable
from headwater.model.values.instant import DAY, parse_instant
from headwater.pipeline.lake import compaction
from headwater.pipeline.lake.files import write_file
from headwater.pipeline.lake.lake import Compacted, FileGone, Lake, LakeEvent, read_file
from tests.pipeline.lakes import (
    NOON,
    files,
    lake_event,
    lake_events,
    payloads,
    random_bytes,
    read_only,
)

FIRST = parse_instant("0001-01-01T00:00:00Z")
TWO_DAYS = [NOON, NOON + DAY]
NO_CHANGE = Compacted(0, 0, 0, 0)

Disturb = Callable[[Callable[[], object]], None]


class Interrupted(Exception):
    """What a test does to a compaction."""


@pytest.fixture
def disturb(monkeypatch: pytest.MonkeyPatch) -> Disturb:
    """Let something happen before each file that a compaction writes."""

    def disturb(happen: Callable[[], object]) -> None:
        def write(folder: Path, name: str, events: Iterable[LakeEvent]) -> None:
            happen()
            write_file(folder, name, events)

        monkeypatch.setattr(compaction, "write_file", write)

    return disturb


def no_room(*_: object, **named: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class TestCompact:
    @pytest.fixture
    def lake(self, lake: Lake) -> Lake:
        """Two days of four events in four files each, with copies."""
        for at in TWO_DAYS:
            for some in ("ab", "bc", "cd", "da"):
                lake.add(lake_events(*(f"{letter}{at}" for letter in some), at=at))
        return lake

    @pytest.fixture
    def small_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of one event each, which is large enough."""
        monkeypatch.setattr(compaction, "FILE_BYTES", 1)

    def test_few_files_of_many_and_no_copies(self, lake: Lake) -> None:
        before = sorted(lake.read())
        assert len(before) == 8
        old = files(lake)
        assert lake.compact() == Compacted(2, 8, 2, 8)
        assert sorted(lake.read()) == before
        assert not old & files(lake)
        stats = lake.stats()
        assert (stats.days, stats.files, stats.events) == (2, 2, 8)

    def test_a_second_time_there_is_nothing_to_do(self, lake: Lake) -> None:
        lake.compact()
        before = files(lake)
        assert lake.compact() == NO_CHANGE
        assert files(lake) == before

    def test_a_file_that_is_alone_is_left_as_it_is(self, lake: Lake) -> None:
        lake.add(lake_events("alone", at=FIRST))
        (alone,) = files(lake, "0001-01-01")
        lake.compact()
        assert files(lake, "0001-01-01") == {alone}

    def test_events_that_came_since(self, lake: Lake) -> None:
        lake.compact()
        lake.add(lake_events("new", f"a{NOON}"))
        before = sorted(lake.read())
        assert lake.compact() == Compacted(1, 2, 1, 1)
        assert sorted(lake.read()) == before
        assert lake.compact() == NO_CHANGE

    def test_it_tells_how_far_it_is(self, lake: Lake) -> None:
        told: list[tuple[int, int]] = []
        lake.compact(lambda done, total: told.append((done, total)))
        assert told == [(0, 2), (1, 2), (2, 2)]

    def test_files_of_a_size(self, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        big = [lake_event(random_bytes(1_000 + number)) for number in range(10)]
        lake.add(big)
        before = sorted(lake.read())
        monkeypatch.setattr(compaction, "FILE_BYTES", 3_000)
        # Three of them are more than that; what is small goes with them, or makes a last file.
        assert lake.compact() == Compacted(2, 9, 5, 8)
        assert sorted(lake.read()) == before
        sizes = [
            sum(map(len, pq.read_table(file).column("payload").to_pylist()))
            for file in files(lake, "2026-01-31")
        ]
        assert len([size for size in sizes if size > 3_000]) == 3
        assert max(sizes) < 3_000 + 1_010

    def test_files_that_are_large_enough_are_not_written_again(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only what came since, without what is in them; and the last one while it is small."""
        monkeypatch.setattr(compaction, "FILE_BYTES", 50_000)
        big = [lake_event(random_bytes(20_000 + number)) for number in range(7)]
        lake.add(big)
        lake.compact()
        old = files(lake, "2026-01-31")
        large = {file for file in old if file.stat().st_size > 50_000}
        assert (len(old), len(large)) == (3, 2)
        assert lake.compact() == NO_CHANGE
        lake.add([*big, *lake_events("new")])
        before = sorted(lake.read())
        assert lake.compact() == Compacted(1, 2, 1, 7)
        assert large < files(lake, "2026-01-31") and len(files(lake, "2026-01-31")) == 3
        assert sorted(lake.read()) == before
        assert lake.compact() == NO_CHANGE
        lake.add(big)
        assert lake.compact() == Compacted(1, 2, 1, 7)

    @pytest.mark.usefixtures("small_files")
    def test_copies_of_what_is_in_large_files_leave_nothing(self, lake: Lake) -> None:
        lake.compact()
        old = files(lake)
        lake.add(lake_events(f"a{NOON}", f"b{NOON}"))
        assert lake.compact() == Compacted(1, 1, 0, 2)
        assert files(lake) == old

    @pytest.mark.usefixtures("small_files")
    def test_nothing_is_empty_where_the_size_is_met_at_the_end(self, lake: Lake) -> None:
        assert lake.compact() == Compacted(2, 8, 8, 8)
        assert all(pq.read_metadata(file).num_rows == 1 for file in files(lake))
        assert lake.compact() == NO_CHANGE

    def test_what_an_interruption_left_goes_after_a_day(self, lake: Lake) -> None:
        lake.compact()
        left, fresh = (lake.days()[0] / f".{name}.tmp" for name in ("left", "fresh"))
        for file in (left, fresh):
            file.write_bytes(b"PAR1 half of")
        yesterday = time.time() - 86_500
        os.utime(left, (yesterday, yesterday))
        assert lake.compact() == NO_CHANGE
        assert not left.exists() and fresh.exists()

    @pytest.mark.parametrize("size", [1, 1_000_000])
    def test_files_that_appear_meanwhile_stay(
        self, lake: Lake, disturb: Disturb, monkeypatch: pytest.MonkeyPatch, size: int
    ) -> None:
        """An event each time, and a copy of one that is there."""
        monkeypatch.setattr(compaction, "FILE_BYTES", size)
        before, old = payloads(lake), files(lake)
        numbers = iter(range(100))
        disturb(lambda: lake.add(lake_events("a", f"late {next(numbers)}")))
        lake.compact()
        found = payloads(lake)
        assert set(before) < set(found)
        late = {each for each in found if each.startswith(b"late")}
        assert late and set(found) - set(before) == late | {b"a"}
        assert not old & files(lake)

    @pytest.mark.parametrize("allowed", range(8))
    def test_interrupted_before_any_file(
        self, lake: Lake, disturb: Disturb, monkeypatch: pytest.MonkeyPatch, allowed: int
    ) -> None:
        before = sorted(lake.read())
        left = iter(range(allowed))

        def end() -> None:
            if next(left, None) is None:
                raise Interrupted

        with monkeypatch.context() as patched:
            patched.setattr(compaction, "FILE_BYTES", 1)
            disturb(end)
            with pytest.raises(Interrupted):
                lake.compact()
        assert sorted(lake.read()) == before
        monkeypatch.undo()
        lake.compact()
        assert sorted(lake.read()) == before
        assert lake.stats().events == 8

    @pytest.mark.parametrize("allowed", range(5))
    @pytest.mark.parametrize("is_partly_compacted", [False, True])
    def test_interrupted_before_any_removal(
        self,
        lake: Lake,
        monkeypatch: pytest.MonkeyPatch,
        allowed: int,
        is_partly_compacted: bool,
    ) -> None:
        if is_partly_compacted:
            lake.compact()
            for name in "xyz":
                lake.add(lake_events(name, f"a{NOON}"))
        before = sorted(lake.read())
        left = iter(range(allowed))
        unlink = Path.unlink

        def end(path: Path, missing_ok: bool = False) -> None:
            if path.suffix == ".parquet" and next(left, None) is None:
                raise Interrupted
            unlink(path, missing_ok)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "unlink", end)
            if is_partly_compacted and allowed == 4:
                lake.compact()
            else:
                with pytest.raises(Interrupted):
                    lake.compact()
        assert sorted(lake.read()) == before
        lake.compact()
        assert sorted(lake.read()) == before
        assert lake.stats().events == len(before)

    def test_interrupted_while_it_writes_it_leaves_nothing(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        old = set(lake.folder.rglob("*"))

        def interrupt(path: Path) -> Iterator[LakeEvent]:
            yield from list(read_file(path))[:1]
            raise KeyboardInterrupt

        monkeypatch.setattr(compaction, "read_file", interrupt)
        with pytest.raises(KeyboardInterrupt):
            lake.compact()
        assert set(lake.folder.rglob("*")) - old == {lake.folder / ".compacting"}

    @pytest.mark.parametrize("step", ["files.pq.ParquetWriter", "compaction.Path.unlink"])
    def test_a_lake_that_cannot_be_written(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        before, old = sorted(lake.read()), files(lake)
        with monkeypatch.context() as patched:
            patched.setattr(f"headwater.pipeline.lake.{step}", no_room)
            with pytest.raises(LakeUnavailable, match=f"{lake.folder} cannot be written: .*space"):
                lake.compact()
        assert old <= files(lake)
        assert sorted(lake.read()) == before

    @pytest.mark.integration
    def test_a_lake_that_is_read_only(self, lake: Lake) -> None:
        before, old = sorted(lake.read()), files(lake)
        with read_only(lake.folder), pytest.raises(LakeUnavailable, match="cannot be written"):
            lake.compact()
        assert files(lake) == old
        assert sorted(lake.read()) == before


class TestTwoAtOnce:
    """Beside a compaction every event is there for readers, and none is lost for good."""

    @pytest.fixture
    def lake(self, lake: Lake) -> Lake:
        for at in TWO_DAYS:
            for some in ("ab", "bc", "cd", "da"):
                lake.add(lake_events(*(f"{letter}{at}" for letter in some), at=at))
        return lake

    @pytest.mark.parametrize("size", [1, 1_000_000])
    def test_the_second_says_so_and_does_nothing(
        self, lake: Lake, disturb: Disturb, monkeypatch: pytest.MonkeyPatch, size: int
    ) -> None:
        monkeypatch.setattr(compaction, "FILE_BYTES", size)
        before = sorted(lake.read())
        refused: list[str] = []

        def compact_as_well() -> None:
            with pytest.raises(LakeUnavailable) as told:
                Lake(lake.folder).compact()
            refused.append(told.value.message)

        disturb(compact_as_well)
        assert lake.compact().days == 2
        assert set(refused) == {
            f"another compaction of the lake at {lake.folder} is running; wait until it ends"
        }
        assert sorted(lake.read()) == before
        assert lake.stats().events == 8
        monkeypatch.undo()
        assert lake.compact().copies_removed == 0

    @pytest.mark.parametrize("size", [1, 1_000_000])
    def test_where_nothing_can_be_locked_nothing_is_lost(
        self, lake: Lake, disturb: Disturb, monkeypatch: pytest.MonkeyPatch, size: int
    ) -> None:
        """The files that this one has not read yet are gone: it says so, and does not go on."""
        monkeypatch.setattr(compaction, "fcntl", None)
        monkeypatch.setattr(compaction, "FILE_BYTES", size)
        before = sorted(lake.read())
        others = iter(range(1))

        def compact_as_well() -> None:
            for _ in others:
                Lake(lake.folder).compact()

        disturb(compact_as_well)
        with pytest.raises(FileGone):
            lake.compact()
        assert sorted(lake.read()) == before

    @pytest.mark.parametrize("read", range(8))
    def test_a_reader_sees_every_event(self, lake: Lake, read: int) -> None:
        """Its files go, and what was in them is in others."""
        before = sorted(lake.read())
        reader = lake.read()
        found = [next(reader) for _ in range(read)]
        lake.compact()
        assert sorted([*found, *reader]) == before

    def test_a_reader_that_listed_neither_sees_every_event(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A folder is listed in pieces: a new file may come too early for it, an old go too."""
        before = sorted(lake.read())
        list_all = Path.iterdir
        listed: set[Path] = set()

        def list_some(folder: Path) -> Iterator[Path]:
            found = sorted(list_all(folder))
            is_first = folder != lake.folder and folder not in listed
            listed.add(folder)
            return iter(found[:1] if is_first else found)

        monkeypatch.setattr(Path, "iterdir", list_some)
        assert sorted(lake.read()) == before

    def test_files_that_are_gone_say_so(self, lake: Lake) -> None:
        old = lake.files()
        lake.compact()
        for file in old:
            with pytest.raises(FileGone, match="no longer exists"):
                list(read_file(file))

    def test_readers_writers_and_a_compaction_over_and_over(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compaction, "FILE_BYTES", 20)
        expected = set(payloads(lake))
        is_over = threading.Event()

        def write() -> None:
            for number in range(40):
                lake.add(lake_events(f"more {number}"))
                expected.add(b"more %d" % number)

        def keep(act: Callable[[], object]) -> None:
            while not is_over.is_set():
                act()

        def read() -> None:
            before = set(expected)
            found = payloads(lake)
            assert before <= set(found)
            assert len(found) == len(set(found))

        with ThreadPoolExecutor(4) as threads:
            beside = [threads.submit(keep, act) for act in (lake.compact, read, lake.stats)]
            try:
                threads.submit(write).result()
            finally:
                is_over.set()
            for each in beside:
                each.result()
        assert set(payloads(lake)) == expected
        lake.compact()
        assert lake.stats().events == len(expected)
