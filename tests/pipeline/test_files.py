"""Files that grow: what is found, what each batch takes of them, and what is read of it."""

import gzip
import json
import logging
import os
import tracemalloc
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import BadConfig
from headwater.listing import Listing, check_place, is_there
from headwater.model.records import Record, read_records
from headwater.pipeline.feeds.byte_ranges import (
    WHOLE,
    ByteRange,
    Planned,
    plan_lines,
    plan_whole,
    read_byte_range,
    to_tasks,
)
from headwater.pipeline.feeds.files import Offset, Planner, Taken, from_json, plan_batch, to_json

LONG_AGO = 1_000_000_000


class Stream:
    """What Spark does with a place: plans batch after batch, and reads what was planned."""

    def __init__(self, place: Path, task_bytes: int = 1_000, **options: Any) -> None:
        self.place = place
        self.task_bytes = task_bytes
        self.now = float(LONG_AGO)
        self.options = options
        self.offset: Offset = {}
        self.batches: list[list[ByteRange]] = []
        self.restart()

    def restart(self, **options: Any) -> None:
        options = {**self.options, **options}
        self.planner = Planner(str(self.place), clock=lambda: self.now, **options)

    def take(self) -> list[Record]:
        """Run batches until there is nothing new."""
        records: list[Record] = []
        while byte_ranges := self.take_batch():
            records += [
                record for byte_range in byte_ranges for record in read_byte_range(*byte_range)
            ]
        return records

    def take_batch(self) -> list[ByteRange]:
        end = self.planner.plan(self.offset)
        # As it comes back from a checkpoint.
        end = from_json(json.loads(json.dumps(to_json(end))))
        tasks = to_tasks(plan_batch(self.offset, end), self.task_bytes)
        assert bool(tasks) == (end != self.offset)
        self.offset = end
        byte_ranges = [byte_range for task in tasks for byte_range in task]
        if byte_ranges:
            self.batches.append(byte_ranges)
        return byte_ranges

    def wait(self, seconds: float = 5) -> None:
        self.now += seconds

    def write(self, name: str, data: bytes, *, add: bool = False) -> Path:
        """Write a file as if at this stream's time."""
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if add else "wb") as file:
            file.write(data)
        # Each write at another time, as they would be.
        self.now += 0.001
        os.utime(path, (self.now, self.now))
        return path


@pytest.fixture
def stream(tmp_path: Path) -> Stream:
    return Stream(tmp_path)


def event(number: int, size: int = 0) -> bytes:
    return json.dumps({"n": number, "x": "x" * size}).encode()


def lines(*numbers: int) -> bytes:
    return b"".join(event(number) + b"\n" for number in numbers)


def numbers(records: Sequence[Record]) -> list[int]:
    """The events by their numbers; one that is none fails."""
    assert not [record for record in records if record.error]
    return [json.loads(record.data)["n"] for record in records]


class TestListing:
    def test_all_below_a_directory_the_oldest_first(self, tmp_path: Path) -> None:
        names = ["b.json", "sub/day=1/a.ndjson", "c.json.gz", "noext"]
        for at, name in enumerate(names):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}")
            os.utime(path, (LONG_AGO - at, LONG_AGO - at))
        found = Listing(str(tmp_path)).list()
        assert [file.path for file in found] == [str(tmp_path / name) for name in names[::-1]]

    def test_equally_old_ones_by_name(self, tmp_path: Path) -> None:
        for name in ("b", "a", "c"):
            (tmp_path / name).write_text("{}")
            os.utime(tmp_path / name, (LONG_AGO, LONG_AGO))
        assert [Path(file.path).name for file in Listing(str(tmp_path)).list()] == ["a", "b", "c"]

    @pytest.mark.parametrize(
        "name",
        [".hidden", "_SUCCESS", "a.tmp", "a.part", "a.json.partial", ".a.json.crc", "a.crc"]
        + ["_temporary/0/a.json", ".git/config", "a.json.emitted", "a.json.emitted.new"],
    )
    def test_what_is_no_file_of_events(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        assert Listing(str(tmp_path)).list() == []

    def test_one_file_by_whatever_name(self, tmp_path: Path) -> None:
        path = tmp_path / "_events[1].tmp"
        path.write_text("{}")
        check_place(str(path))
        assert [file.path for file in Listing(str(path)).list()] == [str(path)]

    def test_a_pattern(self, tmp_path: Path) -> None:
        for name in ("day=1/a.json", "day=1/sub/b.json", "day=2/c.json", "other/d.json", "e.json"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("{}")
        listed = {
            pattern: sorted(
                Path(file.path).name for file in Listing(f"{tmp_path}/{pattern}").list()
            )
            for pattern in ("day=*", "day=?/*.json", "**/*.json", "**", "no*")
        }
        assert listed == {
            "day=*": ["a.json", "b.json", "c.json"],
            "day=?/*.json": ["a.json", "c.json"],
            "**/*.json": ["a.json", "b.json", "c.json", "d.json", "e.json"],
            "**": ["a.json", "b.json", "c.json", "d.json", "e.json"],
            "no*": [],
        }

    def test_what_cannot_be_opened_or_named(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
        (tmp_path / "empty").touch()
        Path(os.fsdecode(bytes(tmp_path) + b"/\xff.json")).write_text("{}")
        assert Listing(str(tmp_path)).list() == []

    @pytest.mark.parametrize("place", ["gone", "gone/*.json", "gone/**"])
    def test_a_place_that_is_not_there(self, tmp_path: Path, place: str) -> None:
        with pytest.raises(BadConfig, match="nothing at '.*/gone'"):
            check_place(f"{tmp_path}/{place}")

    @pytest.mark.parametrize("place", [".", "*.json", "**/x/*"])
    def test_a_place_where_something_may_come(self, tmp_path: Path, place: str) -> None:
        check_place(f"{tmp_path}/{place}")

    def test_a_directory_that_vanishes_is_reported_once(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        place = tmp_path / "in"
        listing = Listing(str(place))
        with caplog.at_level(logging.WARNING):
            for _ in range(2):
                place.mkdir()
                assert listing.list() == []
                place.rmdir()
                assert [listing.list() for _ in range(3)] == [[], [], []]
        assert [record.getMessage() for record in caplog.records] == [
            f"'{place}' is gone; waiting for it to come back"
        ] * 2

    def test_what_this_user_may_not_see_is_not_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(path: Path) -> bool:
            raise PermissionError(f"Permission denied: {path}")

        monkeypatch.setattr(Path, "exists", refuse)
        place = str(tmp_path / "in")
        assert not is_there(place) and Listing(place).list() == []
        with pytest.raises(BadConfig, match="nothing at"):
            check_place(place)

    def test_what_never_was_there_is_not_gone(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING):
            assert Listing(str(tmp_path / "in")).list() == []
        assert not caplog.records


class TestLines:
    def test_a_file_that_grows(self, stream: Stream) -> None:
        stream.write("a", lines(1, 2))
        assert numbers(stream.take()) == [1, 2]
        assert stream.take() == []
        stream.write("a", lines(3), add=True)
        stream.write("b", lines(4))
        assert numbers(stream.take()) == [3, 4]

    def test_after_a_restart(self, stream: Stream) -> None:
        stream.write("a", lines(1, 2))
        stream.take()
        stream.restart()
        assert stream.take() == []
        stream.write("a", lines(3), add=True)
        stream.restart()
        assert numbers(stream.take()) == [3]

    def test_a_last_line_waits_for_its_end(self, stream: Stream) -> None:
        stream.write("a", lines(1) + event(2)[:5])
        assert numbers(stream.take()) == [1]
        stream.wait(4)
        assert stream.take() == []
        stream.write("a", event(2)[5:] + b"\n", add=True)
        assert numbers(stream.take()) == [2]

    def test_or_until_its_file_is_quiet(self, stream: Stream) -> None:
        stream.write("a", lines(1) + event(2))
        assert numbers(stream.take()) == [1]
        stream.wait()
        assert numbers(stream.take()) == [2]
        stream.wait()
        assert stream.take() == []
        # Its end says nothing new, but is taken again with it, which is harmless.
        stream.write("a", b"\n" + lines(3), add=True)
        assert numbers(stream.take()) == [2, 3]

    def test_a_broken_last_line_that_goes_on_after_all(self, stream: Stream) -> None:
        stream.write("a", lines(1) + event(2)[:5])
        stream.wait()
        first, broken = stream.take()
        assert (first.error, broken.data, broken.place) == (None, event(2)[:5], ":2")
        assert broken.error
        stream.write("a", event(2)[5:] + b"\n", add=True)
        assert numbers(stream.take()) == [2]

    def test_a_clock_behind_that_of_the_files(self, stream: Stream) -> None:
        path = stream.write("a", event(1))
        os.utime(path, (LONG_AGO + 1e6, LONG_AGO + 1e6))
        assert stream.take() == []
        stream.wait()
        assert numbers(stream.take()) == [1]

    def test_a_file_that_shrank_is_another(self, stream: Stream) -> None:
        stream.write("a", lines(1, 2, 3))
        stream.take()
        stream.write("a", lines(1, 2))
        assert numbers(stream.take()) == [1, 2]

    @pytest.mark.parametrize("count", [3, 30])
    def test_a_file_that_begins_otherwise_is_another(self, stream: Stream, count: int) -> None:
        stream.write("a", lines(1, 2, 3))
        stream.take()
        new = range(4, 4 + count)
        stream.write("a", lines(*new))
        assert numbers(stream.take()) == list(new)
        stream.write("a", lines(0), add=True)
        assert numbers(stream.take()) == [0]

    def test_a_broken_end_that_was_cut_off(self, stream: Stream) -> None:
        whole = b"".join(event(number, 500) + b"\n" for number in range(5))
        stream.write("a", whole + event(5)[:5])
        stream.wait()
        stream.take()
        stream.write("a", whole + lines(6))
        assert numbers(stream.take()) == [6]

    def test_a_touched_file_is_the_same(self, stream: Stream) -> None:
        stream.write("a", lines(1))
        stream.take()
        stream.write("a", b"", add=True)
        assert stream.take() == []

    def test_a_bad_first_line_is_only_that_line(self, stream: Stream) -> None:
        stream.write("a", b"{bad\n" + lines(1))
        bad, good = stream.take()
        assert (bad.data, bad.place) == (b"{bad\n", ":1")
        assert (good.error, good.place) == (None, ":2")
        stream.write("a", lines(2), add=True)
        assert numbers(stream.take()) == [2]

    def test_blank_lines_and_a_byte_order_mark(self, stream: Stream) -> None:
        stream.write("a", b"\xef\xbb\xbf" + lines(1) + b"\r\n \n" + lines(2))
        assert [record.place for record in stream.take()] == [":1", ":4"]
        stream.write("b", b"\n\n")
        assert stream.take() == []


FORMS = {
    "packed": gzip.compress(lines(1, 2)),
    "packed array": gzip.compress(b"[%s,%s]" % (event(1), event(2))),
    "array": b" [%s,\n%s]\n" % (event(1), event(2)),
    "array with a mark": b"\xef\xbb\xbf[%s,\n%s]" % (event(1), event(2)),
}


class TestWhole:
    @pytest.mark.parametrize("form", FORMS)
    def test_it_is_taken_when_quiet(self, stream: Stream, form: str) -> None:
        stream.write("a", FORMS[form][:10])
        stream.wait(4)
        stream.write("a", FORMS[form][10:], add=True)
        stream.wait(4)
        assert stream.take() == []
        stream.wait(1)
        assert numbers(stream.take()) == [1, 2]
        assert stream.batches == [[ByteRange(str(stream.place / "a"), 0, WHOLE)]]
        stream.restart()
        stream.wait()
        assert stream.take() == []

    def test_one_event_over_many_lines(self, stream: Stream) -> None:
        stream.write("a.json", json.dumps({"n": 1, "x": [2]}, indent=2).encode())
        assert stream.take() == []
        stream.wait()
        (record,) = stream.take()
        assert (numbers([record]), record.place) == ([1], "")

    def test_one_event_in_a_line(self, stream: Stream) -> None:
        stream.write("a.json", event(1))
        stream.wait()
        assert numbers(stream.take()) == [1]
        stream.write("a.json", event(2))
        assert stream.take() == []
        stream.wait()
        assert numbers(stream.take()) == [2]

    def test_once_it_changes_it_is_read_again(self, stream: Stream) -> None:
        stream.write("a.json", b"[%s]" % event(1))
        stream.wait()
        assert numbers(stream.take()) == [1]
        stream.write("a.json", b"[%s]" % event(2))
        assert stream.take() == []
        stream.wait()
        assert numbers(stream.take()) == [2]

    def test_a_first_line_that_goes_on_after_all(self, stream: Stream) -> None:
        stream.write("a", event(1)[:5])
        stream.wait()
        (broken,) = stream.take()
        assert (broken.data, broken.place) == (event(1)[:5], ":1")
        stream.write("a", event(1)[5:] + b"\n" + lines(2), add=True)
        assert numbers(stream.take()) == [1, 2]

    def test_what_is_no_text_is_reported_once(self, stream: Stream) -> None:
        stream.write("a", "\n".join(["{}"] * 100).encode("utf-16"))
        stream.wait()
        (record,) = stream.take()
        assert record.error == "cannot be read further: neither gzip nor text in UTF-8"

    def test_a_file_that_vanishes_is_forgotten(self, stream: Stream) -> None:
        path = stream.write("a", lines(1, 2))
        stream.take()
        path.unlink()
        assert stream.take() == []
        stream.write("b", lines(3))
        assert numbers(stream.take()) == [3]
        assert list(stream.offset) == [str(stream.place / "b")]
        stream.write("a", gzip.compress(lines(4)))
        stream.wait()
        assert numbers(stream.take()) == [4]

    def test_a_file_that_cannot_be_read_is_reported_and_tried_again(self, stream: Stream) -> None:
        stream.restart(is_once=True)
        path = stream.write("a", lines(1))
        stream.write("b", lines(2))
        stream.planner.plan({})
        # A directory cannot be opened by anyone; no rights can be, by some.
        path.unlink()
        path.mkdir()
        other, unreadable = stream.take()[::-1]
        assert (other.error, other.place) == (None, ":1")
        assert unreadable.error and "Is a directory" in unreadable.error
        path.rmdir()
        stream.write("a", lines(1))
        stream.restart()
        assert numbers(stream.take()) == [1]


class TestBounds:
    def test_a_batch_is_bounded(self, stream: Stream) -> None:
        stream.restart(max_bytes=300)
        stream.write("a", lines(*range(100)))
        stream.write("b", lines(*range(100, 150)))
        assert numbers(stream.take()) == list(range(150))
        sizes = [sum(end - start for _, start, end in batch) for batch in stream.batches]
        assert len(sizes) > 6
        # As much as was asked for, and the line that is in.
        assert max(sizes) < 300 + len(lines(100))
        assert min(sizes[:4]) >= 300

    def test_a_line_longer_than_a_batch(self, stream: Stream) -> None:
        stream.restart(max_bytes=100)
        stream.write("a", lines(1) + event(2, 500) + b"\n" + lines(3))
        assert numbers(stream.take()) == [1, 2, 3]

    def test_what_is_read_whole_may_be_more(self, stream: Stream) -> None:
        stream.restart(max_bytes=1_000_000)
        stream.write("b", b"[%s]" % event(2, 500_000))
        stream.write("a", b"[%s]" % event(1, 500))
        stream.write("c", lines(3))
        stream.wait()
        assert sorted(numbers(stream.take())) == [1, 2, 3]
        assert [
            [Path(byte_range.path).name for byte_range in batch] for batch in stream.batches
        ] == [
            ["b"],
            ["a", "c"],
        ]

    def test_the_oldest_first(self, stream: Stream) -> None:
        stream.restart(max_bytes=1)
        for name in ("c", "a", "b"):
            stream.write(name, lines(1))
        stream.take()
        taken = [[Path(byte_range.path).name for byte_range in batch] for batch in stream.batches]
        assert taken == [["c"], ["a"], ["b"]]


class TestOnce:
    def test_all_there_is_at_once_and_nothing_after(self, stream: Stream) -> None:
        stream.restart(is_once=True, max_bytes=100)
        stream.write("a", lines(*range(20)) + event(20))
        stream.write("b", b"[%s]" % event(21))
        stream.write("c", gzip.compress(lines(22)))
        stream.offset = stream.planner.plan(stream.offset)
        first = [byte_range for byte_range, _ in plan_batch({}, stream.offset)]
        stream.write("a", b"\n" + lines(30), add=True)
        stream.write("d", lines(31))
        records = [record for byte_range in first for record in read_byte_range(*byte_range)]
        assert sorted(numbers([*records, *stream.take()])) == list(range(23))
        stream.restart(is_once=True)
        assert sorted(numbers(stream.take())) == [20, 30, 31]

    def test_a_file_that_vanishes_meanwhile(self, stream: Stream) -> None:
        stream.restart(is_once=True, max_bytes=1)
        stream.write("a", lines(1))
        path = stream.write("b", lines(2))
        stream.take_batch()
        path.unlink()
        assert stream.take() == []


class TestTasks:
    def test_long_ones_are_cut(self) -> None:
        planned = [plan_lines("a", 10, 2_500_010)]
        assert to_tasks(planned, 1_000_000) == [
            [ByteRange("a", 10, 1_000_010)],
            [ByteRange("a", 1_000_010, 2_000_010)],
            [ByteRange("a", 2_000_010, 2_500_010)],
        ]

    def test_small_ones_are_put_together(self) -> None:
        planned = [plan_lines(f"{number}", 0, 1_000) for number in range(10_000)]
        tasks = to_tasks(planned)
        assert 10 < len(tasks) < 50
        assert [one for task in tasks for one in task] == [byte_range for byte_range, _ in planned]

    def test_whole_files_are_not_cut(self) -> None:
        planned: list[Planned] = [plan_whole("a", 10**9), plan_whole("b", 10), plan_whole("c", 10)]
        a, b, c = (byte_range for byte_range, _ in planned)
        assert to_tasks(planned) == [[a], [b, c]]

    def test_nothing_is_nothing(self) -> None:
        assert to_tasks([]) == []


class TestReading:
    def test_pieces_have_places_by_byte(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_bytes(lines(1) + b"\n{bad\n" + lines(2))
        size = len(lines(1))
        assert [record.place for record in read_byte_range(str(path), 0, 1_000)] == [
            ":1",
            ":3",
            ":4",
        ]
        places = [record.place for record in read_byte_range(str(path), 1, 1_000)]
        assert places == [f"@{size + 1}", f"@{size + 6}"]

    def test_a_missing_file_is_reported(self, tmp_path: Path) -> None:
        for byte_range in ((0, 10), (5, 10), (0, WHOLE)):
            (record,) = read_byte_range(str(tmp_path / "gone"), *byte_range)
            assert record.error and "No such file" in record.error

    def test_a_packed_file_that_breaks_off(self, tmp_path: Path) -> None:
        packed = gzip.compress(lines(*range(5_000)))
        path = tmp_path / "a"
        for data in (packed[: len(packed) // 2], packed + b"nonsense", packed[:-100] + b"x" * 100):
            path.write_bytes(data)
            *good, last = read_byte_range(str(path), 0, WHOLE)
            assert last.error and last.error.startswith("cannot be read further: ")
            assert len(good) > 1_000

    @pytest.mark.parametrize("is_packed", [False, True])
    @pytest.mark.parametrize("at", [0, 1, 2])
    def test_a_long_line_is_reported_and_skipped(
        self, tmp_path: Path, is_packed: bool, at: int
    ) -> None:
        rows = [event(1), event(2)]
        rows.insert(at, event(0, 50_000))
        data = b"\n".join(rows)
        path = tmp_path / "a"
        path.write_bytes(gzip.compress(data) if is_packed else data)
        records = list(read_byte_range(str(path), 0, WHOLE if is_packed else len(data), 1_000))
        long = records.pop(at)
        assert numbers(records) == [1, 2]
        # With its end, if it has one.
        assert long.size == len(rows[at]) + (at < 2)
        assert long.line == at + 1
        assert rows[at].startswith(long.data)
        assert long.error and "50,0" in long.error

    def test_places_after_a_long_line(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        data = lines(1) + event(0, 50_000) + b"\n" + lines(2)
        path.write_bytes(data)
        start = len(lines(1))
        long, last = read_byte_range(str(path), start, len(data), 1_000)
        assert (long.offset, last.offset) == (start, len(data) - len(lines(2)))

    def test_a_line_of_just_that_length(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_bytes(event(1))
        (record,) = read_byte_range(str(path), 0, 1, len(event(1)))
        assert numbers([record]) == [1]

    @pytest.mark.parametrize("is_packed", [False, True])
    def test_memory_is_bounded(self, tmp_path: Path, is_packed: bool) -> None:
        path = tmp_path / "a"
        with gzip.open(path, "wb", 1) if is_packed else path.open("wb") as file:
            # A bad first line first, because the whole might be one event over many lines.
            file.write(b"{bad\n")
            for number in range(100):
                file.write(event(number, 100_000) + b"\n")
            file.write(b"x" * 20_000_000)
        end = WHOLE if is_packed else path.stat().st_size
        tracemalloc.start()
        try:
            errors = [r.error for r in read_byte_range(str(path), 0, end, 1_000_000) if r.error]
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert len(errors) == 2
        assert peak < (30_000_000 if is_packed else 6_000_000)


class TestHeldAtOnce:
    def test_an_array_that_is_too_long_is_one_error(self) -> None:
        rows = [b"[\n", *(event(number) + b",\n" for number in range(100)), b"{}]"]
        (record,) = read_records(iter(rows), 100)
        assert record.error == "an array that is too long; write one event per line"
        assert b"".join(rows).startswith(record.data)
        assert len(list(read_records(iter(rows), 10_000))) == 101

    def test_a_broken_array_is_one_error_with_its_start(self) -> None:
        (record,) = read_records(iter([b"[{},\n"]))
        assert (record.data, record.size, record.place) == (b"[{},", 5, "")
        assert record.is_unfinished

    def test_what_is_too_long_for_one_event_is_many(self) -> None:
        rows = [b"{\n", *(event(number) + b"\n" for number in range(100))]
        first, *others = read_records(iter(rows), 100)
        assert first.error
        assert numbers(others) == list(range(100))
        assert [record.line for record in (first, *others)] == list(range(1, 102))


# Lines as they may come: events, with line ends of either kind, blank ones and broken ones.
LINES = st.lists(
    st.one_of(
        st.integers(0, 60).map(lambda size: event(1, size)),
        st.sampled_from([b"", b"\r", b" ", b"{bad", event(2) + b"\r", b"null"]),
    ),
    max_size=40,
)


def content(rows: Sequence[bytes]) -> list[bytes]:
    return sorted(row.strip() for row in rows if row.strip())


def found(records: Sequence[Record]) -> list[bytes]:
    return sorted(record.data.strip() for record in records)


class TestProperties:
    @given(
        rows=LINES,
        cuts=st.lists(st.integers(0, 1_500), max_size=8),
        max_bytes=st.integers(1, 500),
        task_bytes=st.integers(1, 500),
        restarts=st.booleans(),
    )
    def test_every_line_once_however_it_is_cut_and_grown(
        self, rows: list[bytes], cuts: list[int], max_bytes: int, task_bytes: int, restarts: bool
    ) -> None:
        data = b"".join(row + b"\n" for row in [event(0), *rows])
        ends = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
        records: list[Record] = []
        with TemporaryDirectory() as folder:
            stream = Stream(Path(folder), task_bytes, max_bytes=max_bytes)
            for start, end in pairwise(ends):
                stream.write("a", data[start:end], add=True)
                if restarts:
                    stream.restart()
                records += stream.take()
        assert found(records) == content([event(0), *rows])
        for record in records:
            if record.offset is not None:
                assert data[record.offset :].startswith(record.data)

    @given(rows=LINES, cuts=st.lists(st.integers(0, 1_500), max_size=8), data=st.data())
    def test_no_line_is_lost_where_files_pause_anywhere(
        self, rows: list[bytes], cuts: list[int], data: st.DataObject
    ) -> None:
        rows = [event(number, 10) for number in range(3)] + rows
        text = b"\n".join(rows)
        ends = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
        records: list[Record] = []
        with TemporaryDirectory() as folder:
            stream = Stream(Path(folder), max_bytes=data.draw(st.integers(1, 500)))
            for start, end in pairwise(ends):
                stream.write("a", text[start:end], add=True)
                stream.wait(data.draw(st.sampled_from([0, 10])))
                if data.draw(st.booleans()):
                    stream.restart(is_once=data.draw(st.booleans()))
                records += stream.take()
                # A planner of once looks no further.
                stream.restart()
            stream.wait()
            records += stream.take()
        assert set(found(records)) >= set(content(rows))

    @given(rows=LINES, cuts=st.lists(st.integers(0, 2_000)), max_line_bytes=st.integers(1, 100))
    def test_pieces_are_the_whole(
        self, rows: list[bytes], cuts: list[int], max_line_bytes: int
    ) -> None:
        data = b"\n".join(rows)
        ends = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
        with TemporaryDirectory() as folder:
            path = Path(folder, "a")
            path.write_bytes(data)

            def read(*ends: int) -> list[tuple[bytes, str | None]]:
                pieces = (
                    read_byte_range(str(path), *piece, max_line_bytes) for piece in pairwise(ends)
                )
                return [(record.data, record.error) for piece in pieces for record in piece]

            assert read(*ends) == read(0, len(data))

    @given(
        st.dictionaries(
            st.text(), st.builds(Taken, st.integers(-1), st.integers(0), st.text(max_size=20))
        )
    )
    def test_offsets_come_back_from_json(self, offset: dict[str, Taken]) -> None:
        text = json.dumps(to_json(offset))
        assert from_json(json.loads(text)) == offset
        assert json.dumps(to_json(from_json(json.loads(text)))) == text
