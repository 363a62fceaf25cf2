"""Events on their way to a server: sent in the background, never waited for, and bounded."""

import json
import logging
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

log = logging.getLogger(__name__)

MAX_WAITING = 1_000
MAX_WAITING_BYTES = 20_000_000
_TIMEOUT_SECONDS = 10.0
_LONGEST_WAIT = 60.0
_WAIT_AT_THE_END = 0.5
# Between two warnings of the same kind, so that they do not fill a log.
_WARN_SECONDS = 300.0

Post = Callable[[bytes], None]


class Refused(Exception):
    """The server will not take an event, however often it is sent."""


def http_post(url: str, api_key: str = "") -> Post:
    """Post events to a server that speaks OpenLineage."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"not the URL of a server, which starts with http://: {url!r}")
    address = f"{url.rstrip('/')}/api/v1/lineage"
    opener = urllib.request.build_opener(_NotFollowing)
    headers = {"Content-Type": "application/json"}
    if key := api_key.strip():
        if not (key.isascii() and key.isprintable()):
            # What urllib says of it, and is logged, has the key.
            raise ValueError("the API key holds a line break or a character beyond ASCII")
        headers["Authorization"] = f"Bearer {key}"

    def post(body: bytes) -> None:
        request = urllib.request.Request(address, body, headers, method="POST")
        try:
            # The rest of the body is not read: it may be endless.
            opener.open(request, timeout=_TIMEOUT_SECONDS).close()
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in (408, 429):
                raise Refused(f"{error.code} {error.read(500)!r}") from error
            raise

    return post


class _NotFollowing(urllib.request.HTTPRedirectHandler):
    """Leaves redirections alone: what is sent on is a GET, and the event would be lost."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Sender:
    """Sends events in their order. A newer one under the same key takes an older one's place."""

    def __init__(self, post: Post, max_waiting: int = MAX_WAITING) -> None:
        self._post = post
        self._max_waiting = max_waiting
        self._waiting: dict[str, bytes] = {}
        self._bytes = 0
        self._changed = threading.Condition()
        self._is_ending = False
        self._is_closed = False
        self._is_sending = False
        self._warned_at: dict[str, float] = {}
        self.sent = 0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="headwater-sender", daemon=True)
        self._thread.start()

    def send(self, key: str, event: Mapping[str, Any]) -> None:
        """Take an event on; returns at once. The oldest are dropped where too many wait."""
        # As text: a tenth of the memory.
        body = json.dumps(event, default=str).encode()
        with self._changed:
            # In its old place, if it has one: events in between are of other runs.
            self._bytes += len(body) - len(self._waiting.get(key, b""))
            self._waiting[key] = body
            while len(self._waiting) > 1 and self._are_too_many():
                self._bytes -= len(self._waiting.pop(next(iter(self._waiting))))
                self.drop("too many events are waiting for the server")
            self._changed.notify_all()

    def _are_too_many(self) -> bool:
        return len(self._waiting) > self._max_waiting or self._bytes > MAX_WAITING_BYTES

    def close(self, seconds: float = 5.0) -> None:
        """Send what waits, for so long at most, then end."""
        give_up = time.monotonic() + seconds
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
            while (self._waiting or self._is_sending) and time.monotonic() < give_up:
                self._changed.wait(0.05)
            self._is_closed = True
            for _ in range(len(self._waiting)):
                self.drop("the program ended before the server accepted it")
            self._waiting.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        failures = 0
        while (found := self._take()) is not None:
            key, body = found
            try:
                self._post(body)
                self.sent += 1
                failures = 0
            except Refused as error:
                self.drop(f"the server refused it: {error}")
            except Exception as error:
                failures += 1
                self._put_back(key, body)
                self._warn(
                    "the server does not accept events, which are queued: %s", str(error).strip()
                )
                self._pause(min(2.0 ** min(failures - 1, 10), _LONGEST_WAIT))
            with self._changed:
                self._is_sending = False
                self._changed.notify_all()

    def _take(self) -> tuple[str, bytes] | None:
        with self._changed:
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return None
            self._is_sending = True
            key = next(iter(self._waiting))
            body = self._waiting.pop(key)
            self._bytes -= len(body)
            return key, body

    def _put_back(self, key: str, body: bytes) -> None:
        """Before all others, unless there is a newer one already."""
        with self._changed:
            if self._is_closed:
                self.drop("the program ended before the server accepted it")
            elif key not in self._waiting:
                self._waiting = {key: body, **self._waiting}
                self._bytes += len(body)

    def _pause(self, seconds: float) -> None:
        """Wait before the next try; at the end of a program there is little time for more."""
        began = time.monotonic()
        with self._changed:
            while not self._is_closed:
                longest = min(seconds, _WAIT_AT_THE_END) if self._is_ending else seconds
                left = began + longest - time.monotonic()
                if left <= 0:
                    return
                self._changed.wait(left)

    def drop(self, reason: str) -> None:
        """Count a dropped event, and log the reason, but not each time."""
        self.dropped += 1
        self._warn("lineage was dropped (%d events so far): %s", self.dropped, reason)

    def _warn(self, text: str, *what: object) -> None:
        if time.monotonic() - self._warned_at.get(text, float("-inf")) > _WARN_SECONDS:
            self._warned_at[text] = time.monotonic()
            log.warning(text, *what)
