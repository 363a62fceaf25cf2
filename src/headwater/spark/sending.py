"""Events on their way to a server: sent in the background, never waited for, and bounded."""

import json
import logging
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

log = logging.getLogger("headwater.spark")

MAX_WAITING = 1_000
_TIMEOUT_SECONDS = 10.0
_LONGEST_WAIT = 60.0
# Between words on what was dropped: a log is not to be filled by it.
_TELL_SECONDS = 300.0

Post = Callable[[bytes], None]


class Refused(Exception):
    """The server will not take an event, however often it is sent."""


def http_post(url: str, api_key: str = "") -> Post:
    """Post events to a server that speaks OpenLineage."""
    address = f"{url.rstrip('/')}/api/v1/lineage"
    headers = {"Content-Type": "application/json"}
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"

    def post(body: bytes) -> None:
        request = urllib.request.Request(address, body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
                answer.read()
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in (408, 429):
                raise Refused(f"{error.code} {error.read(500)!r}") from error
            raise

    return post


class Sender:
    """Sends events in their order. A newer one under the same key takes an older one's place."""

    def __init__(self, post: Post, max_waiting: int = MAX_WAITING) -> None:
        self._post = post
        self._max_waiting = max_waiting
        self._waiting: dict[str, Mapping[str, Any]] = {}
        self._changed = threading.Condition()
        self._is_closed = False
        self._is_sending = False
        self._told_at = float("-inf")
        self.sent = 0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="headwater-spark", daemon=True)
        self._thread.start()

    def send(self, key: str, event: Mapping[str, Any]) -> None:
        """Take an event on; returns at once. The oldest is dropped where too many wait."""
        with self._changed:
            if key in self._waiting:
                # In its old place: what came between was said of other runs.
                self._waiting[key] = event
            else:
                if len(self._waiting) >= self._max_waiting:
                    del self._waiting[next(iter(self._waiting))]
                    self._drop("too many events wait for the server")
                self._waiting[key] = event
            self._changed.notify_all()

    def close(self, seconds: float = 5.0) -> None:
        """Send what waits, for so long at most, then end."""
        give_up = time.monotonic() + seconds
        with self._changed:
            while (self._waiting or self._is_sending) and time.monotonic() < give_up:
                self._changed.wait(0.05)
            self._is_closed = True
            for _ in range(len(self._waiting)):
                self._drop("the program ended before the server took it")
            self._waiting.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        failures = 0
        while (found := self._take()) is not None:
            key, event = found
            try:
                self._post(json.dumps(event).encode())
                self.sent += 1
                failures = 0
            except Refused as error:
                self._drop(f"the server refused it: {error}")
            except Exception as error:
                failures += 1
                self._put_back(key, event)
                log.debug("an event was not sent: %s", error)
                self._pause(min(2.0 ** (failures - 1), _LONGEST_WAIT))
            with self._changed:
                self._is_sending = False
                self._changed.notify_all()

    def _take(self) -> tuple[str, Mapping[str, Any]] | None:
        with self._changed:
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return None
            self._is_sending = True
            key = next(iter(self._waiting))
            return key, self._waiting.pop(key)

    def _put_back(self, key: str, event: Mapping[str, Any]) -> None:
        """Before all others, unless there is a newer one already."""
        with self._changed:
            if key not in self._waiting and not self._is_closed:
                self._waiting = {key: event, **self._waiting}

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        with self._changed:
            while not self._is_closed and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)

    def _drop(self, reason: str) -> None:
        self.dropped += 1
        if time.monotonic() - self._told_at > _TELL_SECONDS:
            self._told_at = time.monotonic()
            log.warning("lineage was dropped (%d events so far): %s", self.dropped, reason)
