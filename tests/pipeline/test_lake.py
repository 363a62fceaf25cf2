"""The lake gives back every event it was given, once and byte for byte, whatever came between."""

import errno
import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.errors import LakeUnavailable
from headwater.model.values.ids import digest
from headwater.model.values.instant import DAY, parse_instant
from headwater.pipeline.lake import files as lake_files
from headwater.pipeline.lake.lake import (
    SCHEMA,
    Compacted,
    FileGone,
    Lake,
    LakeEvent,
    LakeStats,
    read_file,
)
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
LAST = parse_instant("9999-12-31T23:59:59.999999Z")
TIMES = [FIRST, -DAY - 1, -DAY, -1, 0, 1, DAY - 1, NOON, LAST]
NO_CHANGE = Compacted(0, 0, 0, 0)


class TestRoundTrip:
    @pytest.mark.parametrize(
        "payload",
        [
            b"",
            b"{}",
            b"\x00",
            b"\xff\xfe\x80 not UTF-8",
            '{"name": "größer \U0001f600"}'.encode(),
            b'{"a":' * 100_000,
            random_bytes(5_000_000),
        ],
        ids=["none", "empty", "zero", "no text", "text", "repeating", "large"],
    )
    def test_payloads(self, lake: Lake, payload: bytes) -> None:
        event = lake_event(payload)
        assert lake.add([event]) == 1
        assert list(lake.read()) == [event]

    @pytest.mark.parametrize("at", TIMES)
    def test_times(self, lake: Lake, at: int) -> None:
        event = lake_event(b"{}", at, received_at=at)
        lake.add([event])
        assert list(lake.read()) == [event]

    def test_by_day_of_the_events_own_time(self, lake: Lake) -> None:
        times = {
            "0001-01-01": [FIRST],
            "1969-12-31": [-DAY, -1],
            "1970-01-01": [0, DAY - 1],
            "2026-01-31": [NOON],
            "9999-12-31": [LAST],
        }
        events = [
            lake_event(str(at).encode(), at, received_at=0)
            for some in times.values()
            for at in some
        ]
        assert lake.add(events[::-1]) == len(times)
        assert [folder.name for folder in lake.days()] == [f"day={day}" for day in times]
        for day, some in times.items():
            (file,) = files(lake, day)
            assert pq.read_metadata(file).num_rows == len(some)
        assert sorted(lake.read()) == sorted(events)

    def test_a_great_many_rows(self, lake: Lake) -> None:
        events = lake_events(*map(str, range(2_500)))
        lake.add(events)
        assert list(lake.read()) == events

    def test_nothing_makes_no_files(self, lake: Lake) -> None:
        assert lake.add([]) == 0
        assert not lake.folder.exists()
        assert list(lake.read()) == []

    @settings(deadline=None, max_examples=25)
    @given(
        added=st.lists(
            st.lists(
                st.builds(
                    LakeEvent,
                    digest=st.just(b""),
                    at=st.sampled_from(TIMES),
                    received_at=st.integers(FIRST, LAST),
                    kind=st.integers(0, 127),
                    payload=st.binary(max_size=200),
                ),
                max_size=5,
            ),
            max_size=3,
        )
    )
    def test_whatever_it_is(self, added: list[list[LakeEvent]]) -> None:
        """Of an event that comes again, with its time in it, one is read: any."""
        parts = [[event._replace(digest=identify(event)) for event in some] for some in added]
        with TemporaryDirectory() as folder:
            lake = Lake(Path(folder))
            for part in parts:
                lake.add(part)
            check_same(lake, parts)
            lake.compact()
            check_same(lake, parts)


def identify(event: LakeEvent) -> bytes:
    return digest(b"%d " % event.at + event.payload)


def check_same(lake: Lake, parts: Sequence[Sequence[LakeEvent]]) -> None:
    given = {event for part in parts for event in part}
    found = list(lake.read())
    assert set(found) <= given
    assert sorted(event.digest for event in found) == sorted({event.digest for event in given})


class TestFiles:
    def test_copies_are_read_once(self, lake: Lake) -> None:
        a, b, c = lake_events("a", "b", "c")
        for some in ([a, b, a], [b], [c, b, a]):
            lake.add(some)
        assert payloads(lake) == [b"a", b"b", b"c"]
        assert lake.stats().events == 6

    def test_of_one_day_a_file_has_no_copies(self, lake: Lake) -> None:
        a, b = lake_events("a", "b")
        lake.add([a, b, a])
        (file,) = lake.files()
        assert list(read_file(file)) == [a, b]

    def test_all_of_them_in_the_order_of_days(self, lake: Lake) -> None:
        assert lake.files() == []
        for at in (NOON, FIRST, NOON):
            lake.add(lake_events("a", at=at))
        found = lake.files()
        assert found == sorted(files(lake)) and len(found) == 3
        assert [event.at for file in found for event in read_file(file)] == [FIRST, NOON, NOON]

    def test_unfinished_ones_are_ignored(self, lake: Lake) -> None:
        lake.add(lake_events("a"))
        before = lake.stats()
        (folder,) = lake.days()
        (folder / ".1234.tmp").write_bytes(b"PAR1 half of")
        (folder / ".1234.parquet").write_bytes(b"PAR1 half of")
        assert payloads(lake) == [b"a"]
        assert lake.stats() == before
        assert lake.compact() == NO_CHANGE

    def test_other_things_beside_them_are_ignored(self, lake: Lake) -> None:
        lake.add(lake_events("a"))
        (lake.folder / "notes.txt").write_text("")
        (lake.folder / "day=none").write_text("")
        for name in ("other", "day=abc", "day=20260131", "day=2026-1-31", "day=2026-02-30", "day="):
            (lake.folder / name).mkdir()
            (lake.folder / name / "other.parquet").write_text("")
        (lake.days()[0] / "notes.txt").write_text("")
        assert [folder.name for folder in lake.days()] == ["day=2026-01-31"]
        assert payloads(lake) == [b"a"]
        assert lake.stats().days == 1
        assert lake.compact() == NO_CHANGE

    def test_they_can_be_read_without_headwater(self, lake: Lake) -> None:
        """As Spark and others read folders: the day is a column."""
        for number, at in enumerate((NOON, NOON, NOON + DAY)):
            lake.add([lake_event(b"%d" % number, at)])
        (lake.days()[0] / ".unfinished.tmp").write_bytes(b"PAR1")
        found = ds.dataset(lake.folder, format="parquet", partitioning="hive")
        assert found.schema.names == [*SCHEMA.names, "day"]
        for field in SCHEMA:
            assert found.schema.field(field.name).equals(field)
        table = found.to_table(filter=ds.field("day") == "2026-01-31")
        assert sorted(table.column("payload").to_pylist()) == [b"0", b"1"]
        assert set(table.column("day").to_pylist()) == {"2026-01-31"}
        assert found.count_rows() == 3
        (times,) = {at.isoformat() for at in table.column("at").to_pylist()}
        assert times == "2026-01-31T12:00:00+00:00"

    def test_large_events_are_written_a_few_at_a_time(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As they are read again: what is held in memory does not grow with their size."""
        monkeypatch.setattr(lake_files, "PART_BYTES", 2_500)
        monkeypatch.setattr(lake_files, "PART_EVENTS", 4)
        large = [lake_event(random_bytes(1_000 + number)) for number in range(7)]
        small = lake_events(*map(str, range(10)))
        lake.add([*large, *small])
        (file,) = lake.files()
        metadata = pq.read_metadata(file)
        parts = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        assert parts == [3, 3, 4, 4, 3]
        assert list(lake.read()) == [*large, *small]

    def test_new_folders_are_on_disk(self, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        """All above a file, or a power cut would take it though it was on disk itself."""
        synced: list[Path] = []

        def sync(descriptor: int) -> None:
            synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())

        monkeypatch.setattr(os, "fsync", sync)
        lake.add(lake_events("a"))
        (day,) = lake.days()
        parent = lake.folder.parent
        folders = [path for path in synced if path.is_dir()]
        assert folders == [parent.parent, parent, lake.folder, day]
        synced.clear()
        lake.add(lake_events("b"))
        assert [path for path in synced if path.is_dir()] == [day]

    @pytest.mark.parametrize("step", ["os.fsync", "pq.ParquetWriter"])
    def test_a_full_disk_leaves_nothing_behind(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        lake.add(lake_events("a"))

        def fail(*_: object, **named: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(f"headwater.pipeline.lake.files.{step}", fail)
            with pytest.raises(LakeUnavailable, match="No space left on device"):
                lake.add(lake_events("b"))
        assert [path.suffix for path in lake.days()[0].iterdir()] == [".parquet"]
        assert payloads(lake) == [b"a"]
        lake.add(lake_events("b"))
        assert payloads(lake) == [b"a", b"b"]


class TestUnavailable:
    @pytest.mark.parametrize("below", ["", "below"])
    def test_a_file_in_its_place(self, tmp_path: Path, below: str) -> None:
        (tmp_path / "file").write_text("mine")
        lake = Lake(tmp_path / "file" / below)
        with pytest.raises(LakeUnavailable, match=f"the lake at {lake.folder} cannot be written"):
            lake.add(lake_events("a"))
        assert (tmp_path / "file").read_text() == "mine"

    def test_a_file_in_a_days_place(self, lake: Lake) -> None:
        lake.folder.mkdir(parents=True)
        (lake.folder / "day=2026-01-31").write_text("")
        with pytest.raises(LakeUnavailable, match="day=2026-01-31"):
            lake.add(lake_events("a"))

    def test_a_place_where_no_folder_can_be_made(self) -> None:
        with pytest.raises(LakeUnavailable, match="the lake at /proc/none/lake cannot be written"):
            Lake(Path("/proc/none/lake")).add(lake_events("a"))

    @pytest.mark.integration
    def test_a_folder_that_is_read_only(self, lake: Lake) -> None:
        lake.add(lake_events("a"))
        (day,) = lake.days()
        for folder in (day, lake.folder):
            with read_only(folder):
                with pytest.raises(LakeUnavailable, match="cannot be written"):
                    lake.add(lake_events("b", at=NOON if folder is day else NOON + DAY))
                assert payloads(lake) == [b"a"]

    def test_one_of_several_days(self, lake: Lake) -> None:
        """What could be written stays: it will be there twice, and is read once."""
        lake.folder.mkdir(parents=True)
        (lake.folder / "day=2026-02-01").write_text("")
        events = [*lake_events("a"), *lake_events("b", at=NOON + DAY)]
        with pytest.raises(LakeUnavailable):
            lake.add(events)
        (lake.folder / "day=2026-02-01").unlink()
        lake.add(events)
        assert payloads(lake) == [b"a", b"b"]


class TestUnreadable:
    """What cannot be read is named, with what to do; and nothing is removed for it."""

    @pytest.fixture
    def damaged(self, lake: Lake) -> Path:
        for name in "ab":
            lake.add(lake_events(name, name * 1_000))
        return max(files(lake))

    def check(self, lake: Lake, damaged: Path) -> None:
        old = files(lake)
        for act in (
            lambda: list(read_file(damaged)),
            lambda: list(lake.read()),
            lake.stats,
            lake.compact,
        ):
            with pytest.raises(LakeUnavailable, match="lake flush --all") as told:
                act()
            assert str(damaged) in told.value.message
            assert not isinstance(told.value, FileGone)
            assert "\n" not in told.value.message
        assert files(lake) == old

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"not Parquet" * 100])
    def test_other_content(self, lake: Lake, damaged: Path, content: bytes) -> None:
        damaged.write_bytes(content)
        self.check(lake, damaged)

    def test_cut_off(self, lake: Lake, damaged: Path) -> None:
        damaged.write_bytes(damaged.read_bytes()[:-10])
        self.check(lake, damaged)

    def test_other_columns(self, lake: Lake, damaged: Path) -> None:
        pq.write_table(pa.table({"digest": [1]}), damaged)
        self.check(lake, damaged)

    def test_a_column_of_another_type(self, lake: Lake, damaged: Path) -> None:
        table = pq.ParquetFile(damaged).read()
        number = SCHEMA.names.index("kind")
        pq.write_table(table.set_column(number, "kind", table["kind"].cast(pa.int64())), damaged)
        self.check(lake, damaged)

    def test_a_folder(self, lake: Lake, damaged: Path) -> None:
        damaged.unlink()
        damaged.mkdir()
        self.check(lake, damaged)

    def test_a_link_to_nowhere(self, lake: Lake, damaged: Path) -> None:
        """Which is not a file that was compacted away."""
        damaged.unlink()
        damaged.symlink_to(damaged.parent / "none")
        self.check(lake, damaged)

    def test_bytes_that_have_changed(self, lake: Lake, damaged: Path) -> None:
        """The events' own: what the file tells of itself is as it was."""
        whole = bytearray(damaged.read_bytes())
        middle = len(whole) // 4
        whole[middle : middle + 20] = bytes(20)
        damaged.write_bytes(whole)
        for act in (lambda: list(lake.read()), lake.compact):
            with pytest.raises(LakeUnavailable, match=damaged.name):
                act()
        assert damaged in files(lake)

    @pytest.mark.parametrize("below", ["", "below"])
    def test_a_file_in_the_lakes_place(self, tmp_path: Path, below: str) -> None:
        (tmp_path / "file").write_text("")
        lake = Lake(tmp_path / "file" / below)
        for act in (lake.days, lake.files, lambda: list(lake.read()), lake.stats, lake.compact):
            with pytest.raises(LakeUnavailable, match=f"{lake.folder} cannot be read"):
                act()


class TestStats:
    def test_no_lake(self, lake: Lake) -> None:
        assert lake.stats() == LakeStats(0, 0, 0, 0, None, None)
        assert lake.compact() == NO_CHANGE
        assert not lake.folder.exists()

    def test_a_lake(self, lake: Lake) -> None:
        for at in (NOON, NOON, NOON + 2 * DAY, FIRST):
            lake.add(lake_events("a", "b", at=at))
        size = sum(file.stat().st_size for file in files(lake))
        first, last = date(1, 1, 1), date(2026, 2, 2)
        assert lake.stats() == LakeStats(3, 4, 8, size, first, last)
