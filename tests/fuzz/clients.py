"""Clients of one server, many at once: those that send and wait, and those that dawdle."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

# Of one request, also on a machine that does much else: more is a server that hangs.
MOST_SECONDS = 60.0
CLIENTS = 16
# After that, a server may wait for what does not come.
PATIENCE_SECONDS = 2.0


@dataclass
class Answers:
    """What became of requests."""

    statuses: Counter[int] = field(default_factory=Counter)
    closed: int = 0
    """Without a word: what was no HTTP."""
    wrong: list[str] = field(default_factory=list)

    def add(self, request: bytes, answer: bytes | None) -> None:
        if answer is None:
            self.wrong.append(f"no answer within {MOST_SECONDS} s: {request[:300]!r}")
        elif not answer:
            self.closed += 1
        else:
            status = int(answer.split(b" ", 2)[1])
            self.statuses[status] += 1
            # A server may be too busy for a moment; how often is the test's to judge.
            if status >= 500 and status != 503:
                self.wrong.append(f"{status}: {request[:2_000]!r} -> {answer[-500:]!r}")


async def send_all(port: int, requests: Iterator[bytes], answers: Answers) -> None:
    """Send requests from several clients, each on a connection of its own."""

    async def send_some() -> None:
        for request in requests:
            answers.add(request, await _send(port, request))

    await asyncio.gather(*(send_some() for _ in range(CLIENTS)))


async def _send(port: int, request: bytes) -> bytes | None:
    """Send, and read until the server closes; None if it takes too long."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    try:
        async with asyncio.timeout(MOST_SECONDS):
            with suppress(ConnectionError):
                writer.write(request)
                await writer.drain()
            with suppress(ConnectionError):
                while part := await _read_or_end(reader, writer):
                    answer = (answer + part)[:4_096]
        return answer
    except TimeoutError:
        return None
    finally:
        writer.transport.abort()


async def _read_or_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Read; a server that may wait for more of the request is told that this was all."""
    reading = asyncio.ensure_future(reader.read(65_536))
    try:
        return await asyncio.wait_for(asyncio.shield(reading), PATIENCE_SECONDS)
    except TimeoutError:
        writer.write_eof()
        return await reading


async def dawdle(port: int, clients: int, is_over: asyncio.Event) -> None:
    """So many clients that send a request byte by byte, or stop in the middle of it."""

    async def one(number: int) -> None:
        while not is_over.is_set():
            with suppress(ConnectionError, TimeoutError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                head = b"POST /api/v1/lineage HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                body = b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
                request = head if number % 2 else head + body
                for place in range(0, len(request), 5):
                    writer.write(request[place : place + 5])
                    await writer.drain()
                    await _sleep(0.1, is_over)
                # Until the server has enough of it.
                while not is_over.is_set() and await _read_some(reader):
                    pass
                writer.transport.abort()

    await asyncio.gather(*(one(number) for number in range(clients)))


async def _sleep(seconds: float, is_over: asyncio.Event) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(is_over.wait(), seconds)


async def _read_some(reader: asyncio.StreamReader) -> bool:
    """False once the connection is closed."""
    try:
        return bool(await asyncio.wait_for(reader.read(1_000), 1))
    except TimeoutError:
        return True
