"""The demo's own folder: its two scenes, each created once, and a note of that."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.progress import track

from headwater.demo import example
from headwater.demo.live import place
from headwater.demo.live.place import Place
from headwater.errors import InvalidRequest
from headwater.model.intake import take_in
from headwater.model.values import instant

if TYPE_CHECKING:
    from headwater.store.stats.counts import StoreCounts

_STORE = "headwater.db"
_NOTE = "example.json"
_EVENTS_AT_ONCE = 200


class Note(msgspec.Struct):
    """Which example a folder holds; written before loading, so that half a load is known as one.

    Loading again with the same `now` states the same facts: it completes, and adds nothing. The
    live scene is noted once it was played to its end.
    """

    version: int
    now: int
    is_loaded: bool = False
    live_version: int = 0
    live_at: int = 0


class DemoStore:
    """The store of the demo in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder.absolute() / _STORE}"
        self.live = Place(folder.absolute() / "live")

    def load(self) -> Note | None:
        """Load the example unless it is there; gives the note of one that was."""
        note = self._read_note()
        if note is None and (self.folder / _STORE).exists():
            raise InvalidRequest(
                "--data", f"'{self.folder}' contains a store that is not the demo's; choose another"
            )
        if note is not None and note.version != example.VERSION:
            self._remove()
            note = None
        if note is not None and note.is_loaded:
            return note
        self._load(note or Note(example.VERSION, instant.now()))
        return None

    def find_live(self) -> int | None:
        """When the live scene was played, if it was."""
        note = self._read_note()
        return note.live_at if note and note.live_version == place.VERSION else None

    def keep_live(self) -> None:
        """Note that the live scene was played."""
        note = self._read_note()
        assert note is not None
        note.live_version, note.live_at = place.VERSION, instant.now()
        self._write_note(note)

    def forget_live(self) -> None:
        """Note that it was not, before it is played again."""
        note = self._read_note()
        assert note is not None
        note.live_version = 0
        self._write_note(note)

    def count(self) -> "StoreCounts":
        from headwater.store.engine import open_engine
        from headwater.store.stats.counts import count_all

        engine = open_engine(self.url)
        try:
            with engine.connect() as connection:
                return count_all(connection)
        finally:
            engine.dispose()

    def _load(self, note: Note) -> None:
        from headwater.store.engine import open_engine
        from headwater.store.migrate import upgrade
        from headwater.store.write.writer import open_writer

        engine = open_engine(self.url)
        writer = open_writer(engine, notes_for_lake=True)
        try:
            self._write_note(note)
            upgrade(engine)
            events = example.make_events(note.now)
            console = Console(stderr=True)
            parts = range(0, len(events), _EVENTS_AT_ONCE)
            for start in track(
                parts,
                "Loading the example",
                console=console,
                transient=True,
                disable=not console.is_terminal,
            ):
                part = events[start : start + _EVENTS_AT_ONCE]
                received_at = instant.now()
                intakes = [take_in(event, received_at, instant.DAY, "demo") for event in part]
                writer.write([intake.facts for intake in intakes])
        finally:
            writer.close()
            engine.dispose()
        note.is_loaded = True
        self._write_note(note)

    def _read_note(self) -> Note | None:
        try:
            return msgspec.json.decode((self.folder / _NOTE).read_bytes(), type=Note)
        except (OSError, msgspec.MsgspecError):
            return None

    def _write_note(self, note: Note) -> None:
        (self.folder / _NOTE).write_bytes(msgspec.json.encode(note))

    def _remove(self) -> None:
        """Remove an older example; the note goes last, as it marks the folder as ours."""
        for part in (self.folder / "lake", self.live.folder):
            shutil.rmtree(part, ignore_errors=True)
        for suffix in ("", "-wal", "-shm"):
            (self.folder / f"{_STORE}{suffix}").unlink(missing_ok=True)
        (self.folder / _NOTE).unlink(missing_ok=True)
