"""Senders that never tire, and remember what was acknowledged."""

import threading
from collections.abc import Iterator
from itertools import islice
from random import Random
from types import TracebackType
from typing import Self

import httpx2

from testing import load
from testing.wait import wait_until

PATH = "/api/v1/lineage"
JSON = {"content-type": "application/json"}
SENDERS = 6
# Load is bounded, whatever becomes of the test.
MOST_EVENTS = 60_000


class Load:
    """Posts events one by one and in small arrays, from several threads, until it is stopped.

    What the server refuses for now is noted and not sent again; neither is what it did not answer.
    """

    def __init__(self, url: str, start_run: int = 0, senders: int = SENDERS) -> None:
        self.acknowledged: set[bytes] = set()
        self.refusals: list[httpx2.Response] = []
        # Events of requests that ended without an answer: the server may have stored them.
        self.unanswered: set[bytes] = set()
        # Faults that no server going down may cause: answers cut short, answers of other kinds.
        self.wrong: list[str] = []
        self._url = url
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._bodies = _bodies(start_run)
        self._threads = [threading.Thread(target=self._send_all) for _ in range(senders)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self, count: int = 50) -> None:
        """Wait until so many more events are acknowledged."""
        goal = len(self.acknowledged) + count
        wait_until(lambda: len(self.acknowledged) >= goal)

    def wait_for_refusals(self, count: int = 5) -> None:
        goal = len(self.refusals) + count
        wait_until(lambda: len(self.refusals) >= goal)

    def wait_for_silence(self) -> None:
        """Wait until a request ended without an answer."""
        wait_until(lambda: len(self.unanswered) > 0)

    def _send_all(self) -> None:
        with new_client(self._url) as client:
            while not self._stopped.is_set() and (events := self._next()):
                self._send(client, events)

    def _next(self) -> list[bytes]:
        with self._lock:
            return next(self._bodies, [])

    def _send(self, client: httpx2.Client, events: list[bytes]) -> None:
        try:
            answer = client.post(PATH, content=body_of(events), headers=JSON)
        except httpx2.TransportError as error:
            with self._lock:
                self.unanswered.update(events)
                if "complete message" in str(error):
                    self.wrong.append(f"an answer cut short: {error}")
            self._stopped.wait(0.05)
            return
        with self._lock:
            if answer.status_code == 201:
                self.acknowledged.update(events)
                return
            if answer.status_code == 503:
                self.refusals.append(answer)
            else:
                self.wrong.append(f"{answer.status_code}: {answer.text[:300]}")
        self._stopped.wait(0.05)


def _bodies(start_run: int) -> Iterator[list[bytes]]:
    random = Random(start_run)
    events = load.events(MOST_EVENTS, start_run=start_run)
    while group := list(islice(events, random.choice((1, 1, 1, 2, 5)))):
        yield group


def body_of(events: list[bytes]) -> bytes:
    return events[0] if len(events) == 1 else b"[" + b",".join(events) + b"]"


def new_client(url: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, timeout=60, trust_env=False)


def check_refused(answer: httpx2.Response) -> None:
    """A 503 that says when to come back, in the one error shape."""
    assert answer.status_code == 503, f"{answer.status_code}: {answer.text[:300]}"
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json()["code"] == 503
