"""The keys in force, in memory: what the store had a few seconds ago, and those given by settings.

A request never waits for the store to learn whether it may come in. A thread of its own reads the
keys again and again, so that a revoked one stops working within seconds, used or not; while
the store is away the last keys stay in force.
"""

import logging
import threading
from collections.abc import Mapping

from headwater.config import Settings
from headwater.model.access import Key, parse_given_keys
from headwater.store.engine import Engine
from headwater.store.failures import DatabaseError, find_reason
from headwater.store.keys import read_active

log = logging.getLogger(__name__)

REFRESH_SECONDS = 5.0
# Long enough for a read that is under way; a store that hangs must not keep a server from ending.
_END_SECONDS = 1.0


class Keyring:
    """Keys by digest; `keys` is None while everyone may come in."""

    def __init__(self, engine: Engine, settings: Settings, refresh_seconds: float) -> None:
        self._engine = engine
        self._given = parse_given_keys(settings.auth.keys.get_secret_value())
        # An address that others reach is never open, whatever becomes of the store's keys.
        self._may_be_open = settings.server.is_loopback and not self._given
        self._refresh_seconds = refresh_seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="headwater-keys", daemon=True)
        self.keys: Mapping[bytes, Key] | None = {}

    def start(self) -> None:
        """Read the keys, then keep reading; raises if the store does not answer now."""
        self.refresh()
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(_END_SECONDS)

    def refresh(self) -> None:
        """Take what the store has now, in one step: readers see the old keys or the new ones."""
        with self._engine.connect() as connection:
            active = read_active(connection)
        # Revoking the last key must not open the doors: only a store that never had one is open.
        is_open = self._may_be_open and not active.has_any
        self.keys = None if is_open else {**active.keys, **self._given}

    def _run(self) -> None:
        is_away = False
        while not self._ended.wait(self._refresh_seconds):
            try:
                self.refresh()
                is_away = False
            except DatabaseError as error:
                # Logged once: a store can be unavailable for hours.
                if not is_away:
                    reason = find_reason(error)
                    log.warning("keys cannot be read, the last ones stay in force: %s", reason)
                is_away = True
            except Exception:
                log.exception("reading the keys")
