"""The floor: the least that durable ingest can do on the same HTTP stack."""

import argparse
import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Facets = dict[str, msgspec.Raw]


class Run(msgspec.Struct):
    runId: str
    facets: Facets = {}


class Named(msgspec.Struct):
    namespace: str
    name: str
    facets: Facets = {}


class Event(msgspec.Struct):
    eventTime: str
    run: Run
    job: Named
    eventType: str | None = None
    inputs: list[Named] = []
    outputs: list[Named] = []


DECODER = msgspec.json.Decoder(Event | list[Event])


class Log:
    """Appends bodies to SQLite: while one group is committed, the next gathers."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, body BLOB NOT NULL)"
        )
        self._thread = ThreadPoolExecutor(1)
        self._bodies: list[tuple[bytes]] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._committing = False

    def append(self, body: bytes) -> asyncio.Future[None]:
        """Return a future that is done when the body is on the disk."""
        waiter = asyncio.get_running_loop().create_future()
        self._bodies.append((body,))
        self._waiting.append(waiter)
        if not self._committing:
            self._commit_next()
        return waiter

    def _commit_next(self) -> None:
        bodies, self._bodies = self._bodies, []
        waiting, self._waiting = self._waiting, []
        self._committing = True
        done = asyncio.get_running_loop().run_in_executor(self._thread, self._write, bodies)
        done.add_done_callback(lambda done: self._committed(done, waiting))

    def _committed(self, done: asyncio.Future[None], waiting: list[asyncio.Future[None]]) -> None:
        self._committing = False
        error = done.exception()
        for waiter in waiting:
            if waiter.cancelled():
                continue
            if error:
                waiter.set_exception(error)
            else:
                waiter.set_result(None)
        if self._bodies:
            self._commit_next()

    def _write(self, bodies: list[tuple[bytes]]) -> None:
        self._db.execute("BEGIN")
        self._db.executemany("INSERT INTO event (body) VALUES (?)", bodies)
        self._db.execute("COMMIT")


class App:
    """The raw ASGI application: GET /readyz, and everything else is an event."""

    def __init__(self, log: Log) -> None:
        self._log = log

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["path"] == "/readyz":
            await _answer(send, 200)
            return
        body = await _read_body(receive)
        DECODER.decode(body)
        await self._log.append(body)
        await _answer(send, 201)


async def _read_body(receive: Receive) -> bytes:
    message = await receive()
    if not message.get("more_body"):
        return bytes(message["body"])
    parts = [message["body"]]
    while message.get("more_body"):
        message = await receive()
        parts.append(message["body"])
    return b"".join(parts)


async def _answer(send: Send, status: int) -> None:
    headers = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def main() -> None:
    """Serve until SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m bench.floor", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    uvicorn.run(
        App(Log(options.data / "floor.db")),
        host="127.0.0.1",
        port=options.port,
        loop="uvloop",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_level="warning",
    )


if __name__ == "__main__":
    main()
