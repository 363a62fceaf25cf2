"""`collect files`: which events it finds in files, and from where it goes on."""

import errno
import gzip
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

from headwater.collect import Collected
from headwater.collect.files import FilesCollector, FilesSettings
from testing.events.minimal import run_event

SERVER = "http://server"


def event(number: int) -> bytes:
    return msgspec.json.encode(run_event(job=f"job-{number}"))


def lines(*numbers: int) -> bytes:
    return b"".join(event(number) + b"\n" for number in numbers)


def files(
    *paths: Path, server: str = SERVER, resume: bool = True, positions: Path | None = None
) -> FilesCollector:
    settings = FilesSettings(paths=tuple(map(str, paths)), resume=resume, positions=positions)
    return FilesCollector(settings, server)


def jobs(found: Sequence[Collected]) -> list[int]:
    """The numbers of the events that were found."""
    names = (json.loads(each.data)["job"]["name"] for each in found if each.error is None)
    return [int(name.removeprefix("job-")) for name in names]


def take(collector: FilesCollector) -> list[int]:
    """Collect what there is, as one that delivers it does."""
    found = list(collector.collect())
    collector.acknowledge(found)
    return jobs(found)


class TestPlaces:
    def test_a_folder_with_all_below_it(self, tmp_path: Path) -> None:
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "a" / "one.ndjson").write_bytes(lines(1, 2))
        (tmp_path / "a" / "b" / "two.json.gz").write_bytes(gzip.compress(lines(3)))
        (tmp_path / "a" / "b" / "array.json").write_bytes(b"[" + event(4) + b"," + event(5) + b"]")
        (tmp_path / "a" / ".hidden").write_bytes(lines(6))
        (tmp_path / "a" / "half.tmp").write_bytes(lines(7))
        assert sorted(take(files(tmp_path / "a"))) == [1, 2, 3, 4, 5]

    def test_bytes_are_as_they_stand_in_the_file(self, tmp_path: Path) -> None:
        odd = b'{"eventTime" : "2024-05-01T10:00:00Z",  "x":1.0, "x":"\\u00e4"}'
        (tmp_path / "odd").write_bytes(odd + b"\n")
        (found,) = files(tmp_path / "odd").collect()
        assert (found.data, found.place) == (odd, f"{tmp_path / 'odd'}:1")

    def test_what_is_no_event_has_a_place_and_a_reason(self, tmp_path: Path) -> None:
        (tmp_path / "bad").write_bytes(lines(1) + b"{]\n" + lines(2))
        found = list(files(tmp_path / "bad").collect())
        assert jobs(found) == [1, 2]
        assert (found[1].place, found[1].is_unfinished) == (f"{tmp_path / 'bad'}:2", False)
        assert "invalid JSON" in str(found[1].error)


class TestAppended:
    """Only what is new is found, by the same collector and by another one later."""

    @pytest.mark.parametrize("is_restarted", [False, True])
    def test_lines(self, tmp_path: Path, is_restarted: bool) -> None:
        file = tmp_path / "events"
        file.write_bytes(lines(1, 2))
        collector = files(file)
        assert take(collector) == [1, 2]
        assert take(collector) == []
        for number in (3, 4):
            with file.open("ab") as open_file:
                open_file.write(lines(number))
            collector = files(file) if is_restarted else collector
            found = list(collector.collect())
            assert (jobs(found), found[0].line) == ([number], number)
            collector.acknowledge(found)

    def test_no_more_of_a_file_is_read_than_is_new(self, tmp_path: Path) -> None:
        """Or a large one would be read whole, again and again."""
        file = tmp_path / "events"
        file.write_bytes(lines(*range(100)))
        take(files(file))
        # Same first line and same size: only its beginning and its end are looked at.
        rest = file.read_bytes().partition(b"\n")[2]
        file.write_bytes(event(0) + b"\n" + b"#" * len(rest) + lines(100))
        assert take(files(file)) == [100]

    def test_a_line_that_is_being_written(self, tmp_path: Path) -> None:
        file = tmp_path / "events"
        file.write_bytes(lines(1) + event(2)[:40])
        collector = files(file)
        found = list(collector.collect())
        assert jobs(found) == [1]
        assert [each.is_unfinished for each in found] == [False, True]
        collector.acknowledge(found)
        with file.open("ab") as open_file:
            open_file.write(event(2)[40:] + b"\n" + lines(3))
        assert take(collector) == [2, 3]

    @pytest.mark.parametrize("is_restarted", [False, True])
    def test_lines_are_counted_after_one_that_had_no_end(
        self, tmp_path: Path, is_restarted: bool
    ) -> None:
        file = tmp_path / "events"
        file.write_bytes(lines(1) + event(2))
        collector = files(file)
        assert take(collector) == [1, 2]
        with file.open("ab") as open_file:
            open_file.write(b"\n" + lines(3))
        collector = files(file) if is_restarted else collector
        assert [each.line for each in collector.collect()] == [3]

    def test_one_event_over_many_lines_that_is_being_written(self, tmp_path: Path) -> None:
        file = tmp_path / "event.json"
        whole = json.dumps(run_event(job="job-1"), indent=2).encode()
        file.write_bytes(whole[:60])
        collector = files(file)
        found = list(collector.collect())
        assert found and all(each.is_unfinished for each in found)
        collector.acknowledge(found)
        file.write_bytes(whole)
        assert take(collector) == [1]
        assert take(collector) == []

    def test_an_array_or_a_packed_file_that_is_being_written(self, tmp_path: Path) -> None:
        array, packed = tmp_path / "array", tmp_path / "packed"
        contents = {
            array: b"[" + event(1) + b"," + event(2) + b"]",
            packed: gzip.compress(lines(3, 4)),
        }
        for file, content in contents.items():
            file.write_bytes(content[:30])
        collector = files(array, packed)
        found = list(collector.collect())
        assert found and all(each.is_unfinished for each in found)
        collector.acknowledge(found)
        for file, content in contents.items():
            file.write_bytes(content)
        assert take(collector) == [1, 2, 3, 4]
        assert take(files(array, packed)) == []

    def test_another_file_of_the_same_name(self, tmp_path: Path) -> None:
        file = tmp_path / "events"
        file.write_bytes(lines(1, 2, 3))
        collector = files(file)
        take(collector)
        file.write_bytes(lines(4, 5))
        assert take(collector) == [4, 5]
        file.write_bytes(lines(4))
        assert take(collector) == [4]


class TestPositions:
    def test_what_was_not_delivered_is_found_again(self, tmp_path: Path) -> None:
        file = tmp_path / "events"
        file.write_bytes(lines(1, 2, 3))
        collector = files(file)
        found = list(collector.collect())
        collector.acknowledge(found[:1])
        assert take(collector) == [2, 3]
        assert take(collector) == []

    def test_it_is_of_one_destination(self, tmp_path: Path) -> None:
        file = tmp_path / "events"
        file.write_bytes(lines(1))
        assert take(files(file)) == [1]
        assert take(files(file, server="http://another")) == [1]

    def test_without_resume_it_lasts_as_long_as_the_collector(self, tmp_path: Path) -> None:
        file = tmp_path / "events"
        file.write_bytes(lines(1))
        collector = files(file, resume=False)
        assert (take(collector), take(collector)) == ([1], [])
        assert take(files(file, resume=False)) == [1]
        assert list(tmp_path.iterdir()) == [file]

    def test_in_a_folder_of_their_own(self, tmp_path: Path) -> None:
        place, positions = tmp_path / "events", tmp_path / "kept" / "positions"
        place.mkdir()
        for number in (1, 2):
            (place / str(number)).write_bytes(lines(number))
        assert sorted(take(files(place, positions=positions))) == [1, 2]
        assert len(list(positions.iterdir())) == 2
        assert len(list(place.iterdir())) == 2
        collector = files(place, positions=positions)
        assert (take(collector), collector.skipped) == ([], 2)

    def test_one_of_an_earlier_version(self, tmp_path: Path) -> None:
        """It has the number of events and no place in the file."""
        file = tmp_path / "events"
        file.write_bytes(lines(1, 2, 3))
        take(files(file))
        kept = tmp_path / "events.emitted"
        old = {name: value for name, value in json.loads(kept.read_bytes()).items() if value}
        kept.write_text(json.dumps({**old, "answered": 2, "offset": 0}))
        assert take(files(file)) == [3]


class TestCheck:
    def test_what_is_there(self, tmp_path: Path) -> None:
        (tmp_path / "events").write_bytes(lines(1))
        read, positions = files(tmp_path).check()
        assert read.is_ok and "1 files" in read.detail
        assert positions.is_ok
        (read,) = files(tmp_path, resume=False).check()
        assert read.is_ok
        assert [file.name for file in tmp_path.iterdir()] == ["events"]

    def test_what_is_not(self, tmp_path: Path) -> None:
        (step,) = files(tmp_path / "nowhere").check()
        assert not step.is_ok and step.next_step

    def test_what_may_not_be_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "events").write_bytes(lines(1))
        allow(monkeypatch, lambda file, mode: file != tmp_path / "events")
        read, positions = files(tmp_path).check()
        assert not read.is_ok and "events cannot be read" in read.detail
        assert positions.is_ok

    def test_where_no_position_can_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "events").write_bytes(lines(1))
        _, positions = files(tmp_path, positions=tmp_path / "events" / "below").check()
        assert not positions.is_ok and "--positions" in positions.next_step
        allow(monkeypatch, lambda file, mode: not mode & os.W_OK)
        _, positions = files(tmp_path).check()
        assert not positions.is_ok and str(tmp_path) in positions.detail


def allow(monkeypatch: pytest.MonkeyPatch, may: Callable[[Path, int], bool]) -> None:
    """Let others decide what may be done: whoever runs the tests may do everything."""
    monkeypatch.setattr(os, "access", lambda file, mode: may(Path(file), mode))


class TestUnreadable:
    """What cannot be read is told of, and keeps no other."""

    @pytest.fixture
    def closed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[Path]:
        """Files that may not be opened."""
        found: set[Path] = set()
        really_open = Path.open

        def open_it(file: Path, *how: Any, **more: Any) -> Any:
            if file in found and how == ("rb",):
                raise PermissionError(errno.EACCES, "Permission denied")
            return really_open(file, *how, **more)

        monkeypatch.setattr(Path, "open", open_it)
        return found

    def test_a_file(self, tmp_path: Path, closed: set[Path]) -> None:
        first, second = tmp_path / "a", tmp_path / "b"
        first.write_bytes(lines(1))
        second.write_bytes(lines(2))
        closed.add(first)
        collector = files(first, second)
        found = list(collector.collect())
        assert jobs(found) == [2]
        assert (found[0].place, found[0].error) == (str(first), "cannot be read: Permission denied")
        collector.acknowledge(found)
        # Said once, and again when it has changed; read once it can be.
        assert list(collector.collect()) == []
        first.write_bytes(lines(1, 3))
        assert len(list(collector.collect())) == 1
        closed.clear()
        assert take(collector) == [1, 3]

    def test_a_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "closed").mkdir()
        (tmp_path / "events").write_bytes(lines(1))
        really_scan = os.scandir

        def scan(folder: Any) -> Any:
            if str(folder).endswith("closed"):
                raise PermissionError(errno.EACCES, "Permission denied", str(folder))
            return really_scan(folder)

        monkeypatch.setattr(os, "scandir", scan)
        collector = files(tmp_path)
        found = list(collector.collect())
        assert jobs(found) == [1]
        assert [each.error for each in found if each.error] == [
            "cannot be listed: Permission denied"
        ]
        collector.acknowledge(found)
        assert list(collector.collect()) == []


class TestMissing:
    def test_what_is_missing(self, tmp_path: Path) -> None:
        (tmp_path / "events").write_bytes(lines(1))
        (tmp_path / "empty").mkdir()
        there = (tmp_path / "events", tmp_path / "empty", tmp_path / "ev*")
        gone = (tmp_path / "other", tmp_path / "*.json")
        assert files(*there, *gone).find_missing() == [str(path) for path in gone]


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(lines(1, 2),))
    writer.start()
    collector = files(pipe)
    assert not collector.is_at_end
    assert take(collector) == [1, 2]
    writer.join()
    assert collector.is_at_end
    assert take(collector) == []
    assert list(tmp_path.iterdir()) == [pipe]
