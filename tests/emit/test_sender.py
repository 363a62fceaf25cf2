"""Events are sent in the background: bounded, in order, and never waited for."""

import threading
import time

import msgspec
import pytest

from headwater.emit.sender import Refused, Sender, http_post
from testing.wait import PATIENCE_SECONDS, wait_until


class Server:
    """A server that takes events, unless it is told not to."""

    def __init__(self) -> None:
        self.asked = 0
        self.taken: list[int] = []
        self.error: Exception | None = None
        self.is_open = threading.Event()
        self.is_open.set()

    def post(self, body: bytes) -> None:
        self.asked += 1
        self.is_open.wait()
        if self.error is not None:
            raise self.error
        self.taken.append(msgspec.json.decode(body)["n"])


def test_events_are_sent_in_their_order() -> None:
    server = Server()
    sender = Sender(server.post)
    for n in range(100):
        sender.send(str(n), {"n": n})
    sender.close(PATIENCE_SECONDS)
    assert server.taken == list(range(100))
    assert (sender.sent, sender.dropped) == (100, 0)


def test_a_newer_event_takes_the_place_of_one_that_waits() -> None:
    server = Server()
    server.is_open.clear()
    sender = Sender(server.post)
    sender.send("first", {"n": 0})
    wait_until(lambda: server.asked == 1)
    for n in (1, 2, 3):
        sender.send("beat", {"n": n})
    server.is_open.set()
    sender.close(PATIENCE_SECONDS)
    assert server.taken == [0, 3]
    assert sender.dropped == 0


def test_where_too_many_wait_the_oldest_go() -> None:
    server = Server()
    server.is_open.clear()
    sender = Sender(server.post, max_waiting=3)
    sender.send("taken", {"n": 0})
    wait_until(lambda: server.asked == 1)
    for n in range(1, 11):
        sender.send(str(n), {"n": n})
    server.is_open.set()
    sender.close(PATIENCE_SECONDS)
    assert server.taken == [0, 8, 9, 10]
    assert sender.dropped == 7


def test_what_could_not_be_sent_is_sent_again() -> None:
    server = Server()
    server.error = OSError("away")
    sender = Sender(server.post)
    sender.send("a", {"n": 1})
    sender.send("b", {"n": 2})
    wait_until(lambda: server.asked > 0)
    server.error = None
    sender.close(PATIENCE_SECONDS)
    assert server.taken == [1, 2]


def test_what_is_refused_is_not_sent_again() -> None:
    server = Server()
    server.error = Refused("422")
    sender = Sender(server.post)
    sender.send("a", {"n": 1})
    wait_until(lambda: sender.dropped == 1)
    server.error = None
    sender.send("b", {"n": 2})
    sender.close(PATIENCE_SECONDS)
    assert server.taken == [2]


def test_a_server_that_hangs_is_not_waited_for() -> None:
    server = Server()
    server.is_open.clear()
    sender = Sender(server.post)
    started = time.monotonic()
    for n in range(5_000):
        sender.send(str(n), {"n": n})
    sender.close(seconds=0.2)
    assert time.monotonic() - started < PATIENCE_SECONDS
    assert sender.dropped >= 4_999
    server.is_open.set()


@pytest.mark.parametrize("key", ["very\ns3cret", "very-s3crét"])
def test_a_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    with pytest.raises(ValueError, match="the API key holds") as caught:
        http_post("http://server", key)
    assert "s3cr" not in str(caught.value)
