"""Names in paths, pages in queries, and answers in JSON: what the routes share."""

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, TypeVar
from urllib.parse import unquote

import msgspec
from fastapi import Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor

from headwater.errors import InvalidRequest, NotFound
from headwater.model.instant import parse_instant_or_date
from headwater.store.engine import Connection
from headwater.store.query.paging import Page

T = TypeVar("T")


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


register_url_convertor("name", NameConvertor())


async def read_connection(request: Request) -> AsyncIterator[Connection]:
    """A connection for one request; who comes when all are taken waits outside of the threads.

    Else those who wait for a connection could take every thread, and those who have one would
    find no thread to go on with.
    """
    state = request.app.state
    async with state.readers:
        connection = await run_in_threadpool(state.engine.connect)
        try:
            yield connection
        finally:
            await run_in_threadpool(connection.close)


def page(
    limit: Annotated[int, Query(ge=0, le=10_000, description="Maximum number to return.")] = 100,
    offset: Annotated[int, Query(ge=0, le=2**62, description="Number to skip.")] = 0,
) -> Page:
    return Page(limit, offset)


ReadConnection = Annotated[Connection, Depends(read_connection)]
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

    def read(
        text: Annotated[str | None, Query(alias=name, description=description)] = None,
    ) -> int | None:
        if not text:
            return None
        try:
            # A plus sign in a query arrives as a space.
            return parse_instant_or_date(text.replace(" ", "+") if "T" in text else text)
        except ValueError as error:
            raise InvalidRequest(name, f"not a time: {error}") from None

    return read
