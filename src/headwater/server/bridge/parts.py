"""Long answers in parts: each is read with a connection of its own, and sent before the next."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from headwater.server.http.parameters import connection_within
from headwater.store.engine import Connection

P = TypeVar("P")
_JSON = "application/json"


class AnswerPart(NamedTuple, Generic[P]):
    """Some items of a list as JSON, and where to go on; None at the end."""

    items: Sequence[bytes]
    next: P | None


Read = Callable[[Connection, P | None], AnswerPart[P]]


async def respond_in_parts(
    request: Request, read: Read[P], before: bytes = b"[", after: bytes = b"]"
) -> Response:
    """Answer with a list of any length; what fails at its beginning is an error as any other."""
    first = await _read(request, read, None)
    if first.next is None:
        return Response(before + b",".join(first.items) + after, media_type=_JSON)
    return StreamingResponse(_send(request, read, first, before, after), media_type=_JSON)


async def _send(
    request: Request, read: Read[P], part: AnswerPart[P], before: bytes, after: bytes
) -> AsyncIterator[bytes]:
    yield before + b",".join(part.items)
    is_begun = bool(part.items)
    while part.next is not None:
        part = await _read(request, read, part.next)
        if part.items:
            yield (b"," if is_begun else b"") + b",".join(part.items)
            is_begun = True
    yield after


async def _read(request: Request, read: Read[P], place: P | None) -> AnswerPart[P]:
    async with connection_within(request, request.app.state.max_read_seconds) as connection:
        return await run_in_threadpool(read, connection, place)
