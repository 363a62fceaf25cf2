"""Requests to the stand-in and its answers: what is refused, and how Confluent says so."""

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from headwater.demo.confluent.estate import CloudEstate, Credentials

Json = dict[str, Any]

_MOST_IN_PAGE = 100
_DEFAULT_PAGE = 10


class CloudAnswer(NamedTuple):
    """What is answered: a state, a body, and headers."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}


class RequestRefused(Exception):
    """A request that Confluent Cloud would not answer."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class CloudRequest(NamedTuple):
    """A request with the parts of its path that its route names."""

    estate: CloudEstate
    url: str
    method: str
    path: str
    query: Mapping[str, Sequence[str]]
    headers: Mapping[str, str]
    body: bytes
    place: Mapping[str, str] = {}

    def one(self, name: str) -> str:
        """A parameter that is given once; a request without it is refused."""
        values = self.query.get(name, [])
        if len(values) != 1 or not values[0]:
            raise RequestRefused(400, f"the parameter '{name}' is required, once")
        return values[0]

    def check_key(self, credentials: Credentials) -> None:
        """Refuse whoever does not have this key."""
        given = self.headers.get("authorization", "")
        pair = base64.b64encode(":".join(credentials).encode()).decode()
        if not given:
            raise RequestRefused(401, "Unauthorized: no credentials")
        if given != f"Basic {pair}":
            raise RequestRefused(
                401, "Unauthorized: invalid API key; make sure it is of this resource"
            )

    def json(self, known: Iterable[str], required: Iterable[str] = ()) -> Json:
        """The body, which has these fields and no others."""
        if self.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise RequestRefused(415, "the content type is not application/json")
        try:
            found = json.loads(self.body)
        except ValueError:
            raise RequestRefused(400, "the body is not JSON") from None
        if not isinstance(found, dict):
            raise RequestRefused(400, "the body is no object")
        if unknown := sorted(set(found) - set(known)):
            raise RequestRefused(400, f"unknown field '{unknown[0]}'")
        if missing := sorted(set(required) - set(found)):
            raise RequestRefused(400, f"the field '{missing[0]}' is required")
        return found


Handler = Callable[[CloudRequest], Any]


class Route(NamedTuple):
    """A path with `{names}`, the parameters that it knows, and what answers it."""

    method: str
    path: str
    handler: Handler
    parameters: tuple[str, ...] = ()

    def match(self, path: str) -> dict[str, str] | None:
        own, given = self.path.split("/"), path.split("/")
        if len(own) != len(given):
            return None
        place = {}
        for pattern, part in zip(own, given, strict=True):
            if pattern.startswith("{"):
                place[pattern[1:-1]] = unquote(part)
            elif pattern != part:
                return None
        return place


def dispatch(
    routes: Sequence[Route],
    estate: CloudEstate,
    url: str,
    method: str,
    target: str,
    headers: Mapping[str, str],
    body: bytes,
) -> CloudAnswer:
    """Answer a request, or refuse it as Confluent Cloud does."""
    split = urlsplit(target)
    query: dict[str, list[str]] = {}
    for key, value in parse_qsl(split.query, keep_blank_values=True):
        query.setdefault(key, []).append(value)
    try:
        found = [(each, place) for each in routes if (place := each.match(split.path)) is not None]
        if not found:
            raise RequestRefused(404, f"there is no {split.path}")
        chosen = next(((each, place) for each, place in found if each.method == method), None)
        if chosen is None:
            raise RequestRefused(405, f"{method} is not allowed here")
        route, place = chosen
        if unknown := sorted(set(query) - set(route.parameters)):
            raise RequestRefused(400, f"unknown parameter '{unknown[0]}'")
        request = CloudRequest(estate, url, method, split.path, query, headers, body, place)
        return CloudAnswer(200, json.dumps(route.handler(request)).encode())
    except RequestRefused as refusal:
        return _refuse(split.path, refusal)


def _refuse(path: str, refusal: RequestRefused) -> CloudAnswer:
    """The shape of an error differs: Kafka and the registry have their own."""
    status, detail = refusal.status, refusal.detail
    if any(part in path for part in ("/kafka/v3/", "/registry/", "/ksqldb/")):
        body: Json = {"error_code": status, "message": detail}
    else:
        error = {"id": "stand-in", "status": str(status), "code": "refused", "detail": detail}
        body = {"errors": [error]}
    return CloudAnswer(status, json.dumps(body).encode())


def page(request: CloudRequest, kind: str, entries: Sequence[Json]) -> Json:
    """A page of a list; the next one is at the absolute address in `metadata.next`."""
    size = _page_size(request)
    start = _page_start(request)
    end = start + size
    metadata: Json = {"first": request.url + request.path, "total_size": len(entries)}
    if end < len(entries):
        others = [
            (key, value)
            for key, values in request.query.items()
            for value in values
            if key != "page_token"
        ]
        query = urlencode([*others, ("page_token", _token(request, end))])
        metadata["next"] = f"{request.url}{quote(request.path)}?{query}"
    version = "/".join(request.path.strip("/").split("/")[:2])
    return {
        "api_version": version,
        "kind": kind,
        "metadata": metadata,
        "data": list(entries[start:end]),
    }


def _page_size(request: CloudRequest) -> int:
    given = request.query.get("page_size", [str(_DEFAULT_PAGE)])
    if len(given) != 1 or not given[0].isdecimal() or not 1 <= int(given[0]) <= _MOST_IN_PAGE:
        raise RequestRefused(400, f"page_size is a number from 1 to {_MOST_IN_PAGE}")
    return int(given[0])


def _page_start(request: CloudRequest) -> int:
    """Where a page begins; a token is good for the list that it was made for alone."""
    given = request.query.get("page_token", [])
    if not given:
        return 0
    try:
        start, path = base64.urlsafe_b64decode(given[0].encode()).decode().split(" ", 1)
    except ValueError:
        raise RequestRefused(400, "the page_token is invalid") from None
    if path != request.path or not start.isdecimal():
        raise RequestRefused(400, "the page_token is of another list")
    return int(start)


def _token(request: CloudRequest, start: int) -> str:
    return base64.urlsafe_b64encode(f"{start} {request.path}".encode()).decode()
