"""Names in paths, pages in queries, and answers in JSON: what the routes share."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeVar
from urllib.parse import unquote

import msgspec
from fastapi import Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor

from headwater.errors import InvalidRequest, NotFound, TimeIsOver
from headwater.model.values.instant import parse_instant_or_date
from headwater.store.engine import Connection
from headwater.store.query.paging import LONGEST_PAGE, Page
from headwater.store.query.time_limit import TimeLimit

T = TypeVar("T")

# Longer than a store takes that is well.
PROBE_SECONDS = 3.0
# SQLite stops the statement it is at, and takes the next one all the same.
_AGAIN_SECONDS = 0.05


class NameConvertor(Convertor[str]):
    """A name in the raw path: up to the next slash as sent, then decoded.

    Names hold slashes and colons of their own (`s3://bucket`, `a/b`), sent as %2F and %3A;
    decoding before routing would lose where a name ends.
    """

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return value


class RestConvertor(NameConvertor):
    """The rest of the raw path, decoded: for names whose slashes may come as they are."""

    regex = ".+"


register_url_convertor("name", NameConvertor())
register_url_convertor("rest", RestConvertor())


Seconds = Annotated[
    float | None,
    Query(
        alias="timeout",
        gt=0,
        le=86_400,
        description="Seconds that the answer may take, if fewer than the server's own limit.",
    ),
]


async def read_connection(request: Request, seconds: Seconds = None) -> AsyncIterator[Connection]:
    """A connection for one request, and for as long as a read may take."""
    most: float = request.app.state.max_read_seconds
    async with connection_within(request, min(seconds or most, most)) as connection:
        yield connection


async def probe_connection(request: Request) -> AsyncIterator[Connection]:
    """The same for who asks whether the store answers, and soon."""
    async with connection_within(request, PROBE_SECONDS) as connection:
        yield connection


@asynccontextmanager
async def connection_within(request: Request, seconds: float) -> AsyncIterator[Connection]:
    """Who comes when all connections are taken waits outside of the threads.

    Else those who wait for a connection could take every thread, and those who have one would
    find no thread to go on with.
    """
    state = request.app.state
    limit = request.state.time_limit = TimeLimit(seconds)
    loop = asyncio.get_running_loop()
    started = loop.time()
    try:
        async with asyncio.timeout(seconds):
            await state.readers.acquire()
    except TimeoutError:
        raise TimeIsOver(seconds) from None
    watch = loop.call_at(started + seconds, _end, loop, limit)
    connection = None
    try:
        with limit.current():
            connection = await run_in_threadpool(state.engine.connect)
        yield connection
    finally:
        watch.cancel()
        limit.untie()
        if connection is not None:
            await run_in_threadpool(connection.close)
        state.readers.release()


def _end(loop: asyncio.AbstractEventLoop, limit: TimeLimit) -> None:
    """End the running query, and those after it, until the request is at its end."""
    if not limit.is_ended:
        limit.end()
        loop.call_later(_AGAIN_SECONDS, _end, loop, limit)


def page(
    limit: Annotated[
        int,
        Query(ge=0, le=10_000, description=f"Maximum number to return; {LONGEST_PAGE:,} at most."),
    ] = 100,
    offset: Annotated[int, Query(ge=0, le=2**62, description="Number to skip.")] = 0,
) -> Page:
    return Page(min(limit, LONGEST_PAGE), offset)


ReadConnection = Annotated[Connection, Depends(read_connection)]
ProbeConnection = Annotated[Connection, Depends(probe_connection)]
Paging = Annotated[Page, Depends(page)]


def json_response(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def found(value: T | None, kind: str, name: str) -> T:
    if value is None:
        raise NotFound(kind, name)
    return value


def instant_parameter(name: str, what: str = "A time") -> Callable[..., int | None]:
    """A query parameter that is a time."""
    description = f"{what}: 2026-01-31T12:00:00Z, with an offset, or a date as its midnight in UTC."
    return time_parameter(name, description, InvalidRequest)


def time_parameter(
    name: str, description: str, refusal: type[InvalidRequest]
) -> Callable[..., int | None]:
    """The same with a description and a refusal of its own."""

    def read(
        text: Annotated[str | None, Query(alias=name, description=description)] = None,
    ) -> int | None:
        if not text:
            return None
        try:
            # A plus sign in a query arrives as a space.
            return parse_instant_or_date(text.replace(" ", "+") if "T" in text else text)
        except ValueError as error:
            raise refusal(name, f"not a time: {error}") from None

    return read
