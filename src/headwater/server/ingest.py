"""Taking in events: raw ASGI, because this path is most of the server's work.

A request is answered once what it brought is durable. What cannot be taken in is kept as
rejected, with its reason, before the response is sent.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import msgspec

from headwater.config import IntakeSettings
from headwater.errors import (
    HeadwaterError,
    InvalidEvent,
    InvalidRequest,
    MethodNotAllowed,
    NotStorable,
    StoreUnavailable,
)
from headwater.model.facts import Facts
from headwater.model.intake import Intake, reject, take_in
from headwater.model.values import instant
from headwater.model.values.arrays import is_array, split_array
from headwater.server.gap_watch import GapWatch
from headwater.server.http.auth import charge_bytes
from headwater.server.http.body import (
    READING,
    Body,
    Budget,
    Disconnected,
    Receive,
    Scope,
    Send,
    check_content_type,
    header,
    unpack,
)
from headwater.server.http.errors import describe_request, unexpected
from headwater.server.http.metrics import ServerMetrics
from headwater.server.http.responses import respond, respond_error
from headwater.store.write.acceptance import store_intakes_async
from headwater.store.write.group_commit import WRITE_SECONDS, GroupCommit, Ticket
from headwater.store.write.writer import Writer

log = logging.getLogger(__name__)

SINGLE_PATH = b"/api/v1/lineage"
BATCH_PATH = b"/api/v1/lineage/batch"

# Above this a body is worked on in a thread.
_LONG_BODY = 200_000
# How long a write that was ended may take to say so.
END_SECONDS = 3.0
# So much of an array is in work at once: events, and bytes of them (many times that as rows).
_SLICE = 1_000
_SLICE_BYTES = 1_000_000

A = TypeVar("A")
B = TypeVar("B")


def is_ingest(scope: Scope) -> bool:
    """Whether a request is one of events; the same path, read, is the graph made of them."""
    path, method = scope["raw_path"], scope["method"]
    return path == BATCH_PATH or (path == SINGLE_PATH and method not in READING)


class IngestApp:
    """The two routes that take in events."""

    def __init__(self, writer: Writer, settings: IntakeSettings, metrics: ServerMetrics) -> None:
        self._settings = settings
        self._metrics = metrics
        self._budget = Budget(settings.max_in_flight_bytes)
        self._loop = asyncio.get_running_loop()
        # One thread: several would only wait for each other's turn at the interpreter.
        self._worker = ThreadPoolExecutor(1, "headwater-projection")
        self._gaps = GapWatch(metrics)
        self.commits = GroupCommit(writer, self._deliver, self._observe)

    def close(self) -> None:
        """Store what was taken, then end."""
        self._worker.shutdown()
        self.commits.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = Body(self._settings.max_body_bytes, self._budget)
        try:
            try:
                await self._answer(scope, body, receive, send)
            except HeadwaterError as error:
                await self._refuse(body, error, send)
            except asyncio.CancelledError:
                # The server is stopping and has waited long enough for this request.
                await respond_error(send, StoreUnavailable("the server is stopping; send again"))
        except Disconnected:
            pass
        except Exception:
            log.exception("failed at %s, %d bytes", describe_request(scope), body.size)
            self._metrics.failed.inc()
            await respond_error(send, unexpected())
        finally:
            body.release()

    async def _answer(self, scope: Scope, body: Body, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            raise MethodNotAllowed("method", f"{scope['method']}; send events by POST")
        data = await body.read(receive)
        self._metrics.bytes.inc(len(data))
        if data:
            check_content_type(scope)
        encoding = header(scope, b"content-encoding")
        data = await unpack(data, encoding, self._settings.max_body_bytes, body)
        charge_bytes(scope, len(data))
        is_batch = scope["raw_path"] == BATCH_PATH
        is_long = len(data) > _LONG_BODY
        if is_batch or is_array(data):
            events = await self._run(split_array, data, is_long=is_long)
            errors = await self._take_in(events, is_long)
            await self._answer_array(errors, is_batch, send)
        elif (error := (await self._take_in([data], is_long))[0]) is not None:
            await respond_error(send, error)
        else:
            await respond(send, 201)

    async def _take_in(self, events: list[bytes], is_long: bool) -> list[InvalidEvent | None]:
        """Store events, a slice at a time so that little is held; returns the error of each."""
        errors: list[InvalidEvent | None] = []
        for part in slices(events):
            intakes = await self._run(self._project, part, is_long=is_long)
            intakes = await store_intakes_async(intakes, "http", self._commit)
            self._count(intakes)
            errors.extend(intake.error for intake in intakes)
        return errors

    async def _run(self, work: Callable[[A], B], argument: A, is_long: bool) -> B:
        """Run long work in a thread, so that other requests are not kept waiting."""
        if is_long:
            return await self._loop.run_in_executor(self._worker, work, argument)
        return work(argument)

    def _project(self, events: list[bytes]) -> list[Intake]:
        received_at = instant.now()
        max_ahead = self._settings.max_ahead_seconds * instant.SECOND
        return [take_in(event, received_at, max_ahead, "http") for event in events]

    async def _answer_array(
        self, errors: Sequence[InvalidEvent | None], is_batch: bool, send: Send
    ) -> None:
        failed = [
            {"index": index, "reason": error.message, "retriable": False}
            for index, error in enumerate(errors)
            if error is not None
        ]
        if not failed:
            await respond(send, 204 if is_batch else 201)
            return
        stored = len(errors) - len(failed)
        answer = {
            "status": "partial_success" if stored else "failure",
            "summary": {
                "received": len(errors),
                "successful": stored,
                "failed": len(failed),
                "retriable": 0,
                "non_retriable": len(failed),
            },
            "failed_events": failed,
        }
        await respond(send, 200 if stored else 422, msgspec.json.encode(answer))

    async def _refuse(self, body: Body, error: HeadwaterError, send: Send) -> None:
        """Store a body that could not be read as events, then respond."""
        if isinstance(error, StoreUnavailable):
            self._metrics.failed.inc()
        elif not isinstance(error, MethodNotAllowed):
            path, reason = _place(error)
            facts = reject(body.head, instant.now(), "http", path, reason, body.size)
            try:
                await self._commit([facts])
                self._metrics.rejected.inc()
            except (StoreUnavailable, NotStorable) as unavailable:
                error = unavailable
        await respond_error(send, error)

    async def _commit(self, facts: Sequence[Facts]) -> None:
        future: asyncio.Future[None] = self._loop.create_future()
        ticket = self.commits.submit(facts, partial(_settle, future))
        watch = self._loop.call_later(WRITE_SECONDS, self._give_up, ticket, future)
        try:
            await future
        finally:
            watch.cancel()
            # It holds what is raised, which holds this frame, and so the facts: no such circle.
            del future, ticket

    def _give_up(self, ticket: Ticket, future: "asyncio.Future[None]") -> None:
        """Have a write ended that takes too long, so that who sends again finds nothing stored.

        A database that hangs may not even end it. Then nobody knows, and nobody waits longer.
        """
        self.commits.give_up(ticket)
        self._loop.call_later(END_SECONDS, _answer_without, future)

    def _count(self, intakes: Sequence[Intake]) -> None:
        failed = sum(intake.error is not None for intake in intakes)
        self._metrics.stored.inc(len(intakes) - failed)
        if failed:
            self._metrics.rejected.inc(failed)
        for intake in intakes:
            if "reported_gaps" in intake.facts.rows:
                self._gaps.observe(intake.facts)

    def _deliver(self, group: list[Ticket]) -> None:
        self._loop.call_soon_threadsafe(_report, group)

    def _observe(self, group: list[Ticket], seconds: float) -> None:
        self._metrics.group_requests.observe(len(group))
        self._metrics.commit_seconds.observe(seconds)


def slices(events: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Parts of an array, in its order; an event that is larger than a part is one by itself."""
    part: list[bytes] = []
    size = 0
    for event in events:
        if part and (len(part) == _SLICE or size + len(event) > _SLICE_BYTES):
            yield part
            part, size = [], 0
        part.append(event)
        size += len(event)
    if part:
        yield part


def _place(error: HeadwaterError) -> tuple[str, str]:
    if isinstance(error, InvalidEvent):
        return error.path, error.reason
    if isinstance(error, InvalidRequest):
        return error.where, error.reason
    return "request", error.message


def _report(group: list[Ticket]) -> None:
    for ticket in group:
        ticket.done(ticket)


def _answer_without(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_exception(StoreUnavailable("the store does not answer; send again"))


def _settle(future: "asyncio.Future[None]", ticket: Ticket) -> None:
    if future.done():
        return
    if ticket.error is None:
        future.set_result(None)
    else:
        future.set_exception(ticket.error)
