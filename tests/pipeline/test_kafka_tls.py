"""Whether a port speaks TLS, by what real sockets answer to a handshake."""

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from headwater.pipeline.feeds import kafka_tls
from headwater.pipeline.feeds.kafka_tls import find_mismatch, find_tls

# A TLS record: the alert that a peer sends which wants another handshake than this.
ALERT = bytes.fromhex("15030300020228")


@contextlib.contextmanager
def port(reply: bytes | None) -> Iterator[tuple[str, int]]:
    """A port that answers what it gets with these bytes, and hangs up; None: it keeps still."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def answer() -> None:
            with contextlib.suppress(OSError):
                while not ended.is_set():
                    peer, _ = server.accept()
                    with peer:
                        peer.recv(4_096)
                        if reply is None:
                            ended.wait(10)
                        else:
                            peer.sendall(reply)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[:2]
        finally:
            ended.set()
            server.close()


@pytest.mark.parametrize(
    ("reply", "speaks_tls"), [(ALERT, True), (b"", False), (b"HTTP/1.1 400 Bad Request", False)]
)
def test_a_port_is_known_by_its_answer(reply: bytes, speaks_tls: bool) -> None:
    with port(reply) as address:
        assert find_tls(address) is speaks_tls


def test_of_a_port_that_keeps_still_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_tls, "WAIT_SECONDS", 0.2)
    with port(None) as address:
        assert find_tls(address) is None
        assert find_mismatch(address, "SSL") is None


@pytest.mark.parametrize(
    ("reply", "protocol", "advice"),
    [
        (ALERT, "", "--security-protocol SSL"),
        (ALERT, "SASL_PLAINTEXT", "--security-protocol SASL_SSL"),
        (ALERT, "ssl", None),
        (b"", "SSL", "--security-protocol PLAINTEXT"),
        (b"", "SASL_SSL", "--security-protocol SASL_PLAINTEXT"),
        (b"", "PLAINTEXT", None),
        (b"", "nonsense", None),
    ],
)
def test_a_client_and_a_port_that_differ(reply: bytes, protocol: str, advice: str | None) -> None:
    with port(reply) as address:
        found = find_mismatch(address, protocol)
    assert (found is None) is (advice is None)
    assert advice is None or advice in str(found)
