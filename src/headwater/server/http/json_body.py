"""JSON bodies of routes: read into a shape, or refused with the place and the reason."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from fastapi import Request

from headwater.errors import InvalidRequest, WrongShape
from headwater.server.http.body import check_content_type
from headwater.server.openapi.document import answers

T = TypeVar("T")

_MISSING = re.compile(r"Object missing required field `(.*?)`(?: - at `(.*)`)?")
_AT_PATH = re.compile(r"(.*) - at `(.*)`", re.DOTALL)


def read_body(shape: type[T], data: bytes) -> T:
    """Read a body; raises where it is no JSON (400) and where it has another shape (422)."""
    try:
        return msgspec.json.decode(data, type=shape)
    except msgspec.ValidationError as error:
        raise _wrong_shape(str(error)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        reason = str(error) if data else "empty; send a JSON object"
        raise InvalidRequest("body", f"not JSON: {reason}" if data else reason) from None


def _wrong_shape(message: str) -> WrongShape:
    if missing := _MISSING.fullmatch(message):
        return WrongShape(f"{missing[2] or '$'}.{missing[1]}", "missing")
    if placed := _AT_PATH.fullmatch(message):
        return WrongShape(placed[2], placed[1][0].lower() + placed[1][1:])
    return WrongShape("$", message[0].lower() + message[1:])


def json_body(shape: type[T]) -> Callable[[Request], Awaitable[T]]:
    """The dependency of a route that is its body: `Annotated[Shape, Depends(json_body(Shape))]`."""

    async def read(request: Request) -> T:
        data = await request.body()
        if data:
            check_content_type(request.scope)
        return read_body(shape, data)

    return read


def takes(shape: Any, example: Any) -> dict[str, Any]:
    """What a route is sent, for its `openapi_extra`: a shape and an example of it."""
    content = answers(shape, example)[200]["content"]
    return {"requestBody": {"required": True, "content": content}}
