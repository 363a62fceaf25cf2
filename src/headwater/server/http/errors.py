"""The one error shape, and the only table from errors to status codes.

`{"code": 422, "message": ..., "path": ..., "reason": ...}`: path and reason say where and why,
where there is a where.
"""

import logging
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from headwater.errors import (
    BodyTooLarge,
    Conflict,
    Forbidden,
    ForeignRequest,
    HeadersTooLarge,
    HeadwaterError,
    InvalidEvent,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    NotStorable,
    StoreUnavailable,
    TimeIsOver,
    TooManyRequests,
    TooSlow,
    Unauthorized,
    UrlTooLong,
    WrongContentType,
    WrongShape,
)
from headwater.server.http.body import Scope
from headwater.server.http.bridge_paths import is_bridge_path
from headwater.store.failures import (
    DatabaseError,
    DataError,
    DriverError,
    PoolTimeout,
    find_reason,
    is_cancelled,
)
from headwater.store.query.time_limit import TimeLimit

log = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 5
# Of a request in the log.
_LONGEST_SHOWN = 2_000

STATUS: dict[type[HeadwaterError], int] = {
    Unauthorized: 401,
    Forbidden: 403,
    ForeignRequest: 403,
    MethodNotAllowed: 405,
    TooSlow: 408,
    Conflict: 409,
    BodyTooLarge: 413,
    UrlTooLong: 414,
    WrongContentType: 415,
    TooManyRequests: 429,
    HeadersTooLarge: 431,
    InvalidEvent: 422,
    WrongShape: 422,
    NotStorable: 422,
    InvalidRequest: 400,
    NotFound: 404,
    StoreUnavailable: 503,
}


def status_of(error: HeadwaterError) -> int:
    """The status code of an error; text that is not even JSON is a 400."""
    if isinstance(error, InvalidEvent) and error.path == "$":
        return 400
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return 500


def error_body(error: HeadwaterError, code: int) -> bytes:
    fields: dict[str, Any] = {"code": code, "message": error.message}
    if isinstance(error, InvalidEvent):
        fields |= {"path": error.path, "reason": error.reason}
    elif isinstance(error, InvalidRequest):
        fields |= {"path": error.where, "reason": error.reason}
    elif isinstance(error, NotFound) and error.near:
        fields["near"] = error.near
    return msgspec.json.encode(fields)


def error_headers(error: HeadwaterError, code: int) -> dict[str, str]:
    """The headers of an error response: when to retry, and how to authenticate."""
    if isinstance(error, TooManyRequests):
        return {"Retry-After": str(error.retry_after)}
    match code:
        case 503:
            return {"Retry-After": str(RETRY_AFTER_SECONDS)}
        case 401:
            return {"WWW-Authenticate": "Bearer", "Cache-Control": "no-store"}
        case 403:
            return {"Cache-Control": "no-store"}
    return {}


def unexpected() -> HeadwaterError:
    """The message for a fault of the server's own: no details, only where to look."""
    return HeadwaterError("the server failed at this request; its log has the reason")


def describe_request(scope: Scope) -> str:
    """A request as the log names it: what it asks for, without headers, which may hold a key."""
    path = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    text = path[:_LONGEST_SHOWN].decode("latin-1")
    return f"{scope['method']} {text!r}{' (cut)' if len(path) > _LONGEST_SHOWN else ''}"


def _response(error: HeadwaterError, code: int | None = None) -> Response:
    code = code or status_of(error)
    headers = error_headers(error, code)
    return Response(error_body(error, code), code, headers, media_type="application/json")


def add_error_handlers(app: FastAPI) -> None:
    """Give every failure of a route the one shape."""

    @app.exception_handler(HeadwaterError)
    async def _known(request: Request, error: HeadwaterError) -> Response:
        if status_of(error) == 500:
            # No answer of a route is meant to be one.
            log.error("failed at %s: %s", describe_request(request.scope), error.message)
        return _response(error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "request"
        # What LineageBridge cannot read is a 422 there.
        kind = WrongShape if is_bridge_path(request.scope["raw_path"]) else InvalidRequest
        return _response(kind(where, first["msg"]))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return _response(NotFound("path", request.url.path))
        return _response(HeadwaterError(str(error.detail)), error.status_code)

    @app.exception_handler(Exception)
    async def _unexpected(_: Request, error: Exception) -> Response:
        # Logged by the application, as it is raised again.
        return _response(unexpected())

    @app.exception_handler(PoolTimeout)
    @app.exception_handler(DriverError)
    async def _store(request: Request, error: DatabaseError) -> Response:
        limit: TimeLimit | None = getattr(request.state, "time_limit", None)
        if limit is not None and (limit.is_over or is_cancelled(error)):
            return _response(TimeIsOver(limit.seconds))
        described = describe_request(request.scope)
        if isinstance(error, DataError):
            # Such as a name with a NUL, which no query of PostgreSQL can hold.
            log.info("no value for the store at %s: %s", described, find_reason(error))
            return _response(InvalidRequest("request", "has a value that nothing can have"))
        log.warning("the store did not answer at %s: %s", described, find_reason(error))
        return _response(StoreUnavailable("the store did not answer; try again"))
