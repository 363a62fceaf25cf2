"""Clients of one server, many at once: those that send and wait, and those that dawdle."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

log = logging.getLogger(__name__)

# Of one request, also on a machine that does much else: more is a server that hangs.
MOST_SECONDS = 60.0
CLIENTS = 16
# After that, a server may wait for what does not come.
PATIENCE_SECONDS = 2.0
# Until what a server logs of a request is in its log.
_LOG_SECONDS = 0.5
_MOST_KEPT = 50


@dataclass
class Failure:
    """A request that was answered by 5xx or not at all, and what the server logged meanwhile."""

    number: int
    what: str
    request: bytes
    answer: bytes
    logged: str

    def describe(self) -> str:
        request = f"{self.request[:1_500]!r}, {len(self.request):,} bytes"
        return (
            f"request {self.number:,}: {self.what}\n  {request}\n  -> {self.answer[-500:]!r}\n"
            f"  the server's log meanwhile:\n{self.logged[-4_000:] or '  (nothing)'}"
        )


@dataclass
class Answers:
    """What became of requests."""

    log_file: Path
    folder: Path
    """For the requests that failed."""
    sent: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    closed: int = 0
    """Without a word: what was no HTTP."""
    wrong: list[Failure] = field(default_factory=list)
    busy: list[Failure] = field(default_factory=list)
    """503: a server may be too busy for a moment; how often is the test's to judge."""

    async def add(self, number: int, request: bytes, answer: bytes | None, log_start: int) -> None:
        if answer is None:
            what = f"no answer within {MOST_SECONDS:g} s"
            self.wrong.append(await self._failure(number, what, request, b"", log_start))
        elif not answer:
            self.closed += 1
        else:
            status = int(answer.split(b" ", 2)[1])
            self.statuses[status] += 1
            kept = self.busy if status == 503 else self.wrong
            if status >= 500 and len(kept) < _MOST_KEPT:
                kept.append(await self._failure(number, str(status), request, answer, log_start))

    def describe(self) -> str:
        told = ", ".join(f"{code}: {n:,}" for code, n in sorted(self.statuses.items()))
        failures = "".join(f"\n{each.describe()}" for each in (*self.wrong, *self.busy))
        return f"{self.sent:,} requests, {told}, closed: {self.closed:,}{failures}"

    def log_size(self) -> int:
        return self.log_file.stat().st_size

    async def _failure(
        self, number: int, what: str, request: bytes, answer: bytes, log_start: int
    ) -> Failure:
        await asyncio.sleep(_LOG_SECONDS)
        with self.log_file.open("rb") as opened:
            opened.seek(log_start)
            logged = opened.read(1_000_000).decode(errors="replace")
        (self.folder / f"request-{number}").write_bytes(request)
        failure = Failure(number, what, request, answer, logged)
        # At once: a run of an hour that is ended before its end has said so.
        log.error("%s", failure.describe())
        return failure


async def send_all(port: int, requests: Iterator[bytes], answers: Answers) -> None:
    """Send requests from several clients, each on a connection of its own."""

    async def send_some() -> None:
        for request in requests:
            answers.sent = number = answers.sent + 1
            log_start = answers.log_size()
            await answers.add(number, request, await _send(port, request), log_start)

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
