"""A store in SQLite that takes the place of another: copied over it, page by page, at once."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

from sqlalchemy import Engine, text

from headwater.errors import StoreUnavailable
from headwater.store.engine import open_scratch, sqlite_file
from headwater.store.maintenance.rebuild_lock import only_rebuild
from headwater.store.maintenance.replacement import (
    EVER,
    Kept,
    copy_kept,
    note_pruned,
    read_missing,
)
from headwater.store.migrate import upgrade
from headwater.store.write.writer import Writer, open_writer

PAGES_AT_ONCE = 1_000
# For others to finish what they are writing: one try, and all of them.
TRY_SECONDS = 5.0
PATIENCE_SECONDS = 60.0


class SqliteReplacement:
    """The same file name with `.rebuilding`.

    A file that others have open must not be renamed or removed: who has it would go on writing
    to nowhere. So its pages are replaced, in one transaction, as by any other writer.
    """

    def __init__(self, engine: Engine) -> None:
        self._old = sqlite_file(engine)
        self._file = self._old.with_name(self._old.name + ".rebuilding")
        self._held = ExitStack()
        self._held.enter_context(only_rebuild(engine))
        self._remove()
        self.url = f"sqlite:///{self._file.absolute()}"
        self._engine = open_scratch(self.url)
        # Beside the first, which never looks at the old store: to write would lock both.
        self._both = open_scratch(self.url, other=self._old)
        try:
            upgrade(self._engine)
        except BaseException:
            self.close()
            raise

    def writer(self, notes_for_lake: bool = False) -> Writer:
        return open_writer(self._engine, notes_for_lake)

    def note_pruned(self, before: int) -> None:
        with self._engine.begin() as connection:
            note_pruned(connection, before)

    def read_missing(self, received_before: int = EVER) -> Iterator[list[Kept]]:
        with self._both.connect() as connection:
            for rows in read_missing(connection, "other", "main", received_before):
                # Or what is read would keep what is written waiting.
                connection.commit()
                yield rows

    def take_place(self, bring_over: Callable[[], object]) -> None:
        """Copy it over the old one.

        From the first step on nobody else can write there. Whoever reads still sees the old store,
        and so does `bring_over`: what it writes to the new one makes the copy start again.
        """
        has_begun = False
        give_up = time.monotonic() + PATIENCE_SECONDS

        def after_step(status: int, left: int, total: int) -> None:
            nonlocal has_begun
            if status != sqlite3.SQLITE_OK:
                _check_patience(status, give_up)
            elif not has_begun:
                has_begun = True
                bring_over()
                self._copy_kept()

        try:
            with closing(self._open()) as new, closing(self._open_old()) as old:
                new.backup(old, pages=_pages_at_once(new), progress=after_step)
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the store cannot be replaced now: {error}") from error

    def _copy_kept(self) -> None:
        with self._both.begin() as connection:
            copy_kept(connection, "other", "main")
            connection.execute(
                text(
                    "UPDATE main.store_state SET generation ="
                    " 1 + max(generation, (SELECT generation FROM other.store_state))"
                )
            )

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file)

    def _open_old(self) -> sqlite3.Connection:
        return sqlite3.connect(self._old, timeout=TRY_SECONDS)

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm", "-journal"):
            self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        self._both.dispose()
        self._engine.dispose()
        self._remove()
        self._held.close()


def _pages_at_once(new: sqlite3.Connection) -> int:
    """Never all of them: the last step makes the copy final, and must not be the first."""
    (pages,) = new.execute("PRAGMA page_count").fetchone()
    return min(PAGES_AT_ONCE, max(1, int(pages) // 2))


def _check_patience(status: int, give_up: float) -> None:
    """While somebody else writes the copy is tried again, without an end of its own."""
    if status == sqlite3.SQLITE_BUSY and time.monotonic() > give_up:
        raise StoreUnavailable(
            "the store cannot be replaced now: other processes keep writing to it"
        )
