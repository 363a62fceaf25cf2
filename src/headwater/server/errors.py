"""The one error shape, and the only table from errors to status codes.

`{"code": 422, "message": ..., "path": ..., "reason": ...}`: path and reason say where and why,
where there is a where.
"""

import logging
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException

from headwater.errors import (
    BodyTooLarge,
    HeadwaterError,
    InvalidEvent,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    NotStorable,
    StoreUnavailable,
    WrongContentType,
)

log = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 5

STATUS: dict[type[HeadwaterError], int] = {
    MethodNotAllowed: 405,
    BodyTooLarge: 413,
    WrongContentType: 415,
    InvalidEvent: 422,
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
    return msgspec.json.encode(fields)


def error_headers(code: int) -> dict[str, str]:
    return {"Retry-After": str(RETRY_AFTER_SECONDS)} if code == 503 else {}


def _response(error: HeadwaterError, code: int | None = None) -> Response:
    code = code or status_of(error)
    return Response(
        error_body(error, code), code, error_headers(code), media_type="application/json"
    )


def add_error_handlers(app: FastAPI) -> None:
    """Give every failure of a route the one shape."""

    @app.exception_handler(HeadwaterError)
    async def _known(_: Request, error: HeadwaterError) -> Response:
        return _response(error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "request"
        return _response(InvalidRequest(where, first["msg"]))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return _response(NotFound("path", request.url.path))
        return _response(HeadwaterError(str(error.detail)), error.status_code)

    @app.exception_handler(DBAPIError)
    async def _store(_: Request, error: DBAPIError) -> Response:
        log.warning("the store did not answer: %s", error.orig)
        return _response(StoreUnavailable("the store did not answer; try again"))
