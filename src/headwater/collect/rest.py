"""Requests to the REST API of another system, as collectors make them."""

import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx2
from pydantic import Field, field_validator

from headwater.config import Section, check_secret_reference, resolve_secret
from headwater.durations import parse_duration
from headwater.errors import BadConfig, SourceUnavailable

Item = TypeVar("Item")
Found = TypeVar("Found")

# Too many requests, or not ready: a Connect cluster answers 409 while its workers rebalance.
REBALANCING = 409
_AGAIN = (REBALANCING, 429, 503)
_WAITS = (0.5, 1.0, 2.0, 4.0)
_LONGEST_WAIT = 10.0
_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))
_MAX_REASON = 300
# What to do about an answer: by its status, 0 for none at all, 200 for one that is not JSON.
_ADVICE = {
    0: "does it answer others in time? --timeout says how long it is waited for",
    200: "is --url that of the REST API, and not of a page for people or a login?",
    401: "give --user and --password, or correct them",
    403: "let this user read; --user and --password name another",
    404: "is --url complete? some APIs are below a path (Apicurio: /apis/ccompat/v7)",
    REBALANCING: "look at the workers' logs for why they do not come to rest",
    429: "look less often, with --every; something between may limit requests",
    500: "look at its log; it is up, but cannot answer",
}


class RestUnavailable(SourceUnavailable):
    """An API that does not answer, or not as it should; `next_step` is what to do about that."""

    def __init__(self, source: str, reason: str, next_step: str, status: int = 0) -> None:
        super().__init__(source, reason)
        self.next_step = next_step
        self.status = status
        """What was answered; 0 for no answer, or none that can be read."""


class RequestCredentials(NamedTuple):
    """How requests are signed, what is hidden wherever it is repeated, and who gives it."""

    auth: Any = None
    mask: Callable[[str], str] = str
    options: str = "--user and --password"


class ConnectionSettings(Section):
    """Settings of a REST API, whatever lets one in there."""

    url: str = Field(description="URL of the REST API, such as http://HOST:8083.")
    ca: Path | None = Field(default=None, description="File with the CA of the server (PEM).")
    certificate: Path | None = Field(
        default=None, description="File with a client certificate and its key (PEM)."
    )
    timeout: str = Field(default="10s", description="How long an answer may take.")
    state: Path = Field(
        default=Path("headwater-data/collect"),
        description="Folder that remembers what was reported, so that only changes are sent.",
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return check_url(value)

    @field_validator("timeout")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value

    def credentials(self) -> RequestCredentials:
        return RequestCredentials()


class RestSettings(ConnectionSettings):
    """Settings of a REST API with basic authentication, or none."""

    user: str = Field(default="", description="User for basic authentication.")
    password: str = Field(
        default="",
        description="Where the password is: env:VARIABLE or file:PATH, never the password.",
    )

    @field_validator("password")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    def credentials(self) -> RequestCredentials:
        password = resolve_secret(self.password).get_secret_value() if self.password else ""

        def mask(text: str) -> str:
            return text.replace(password, "***") if password else text

        return RequestCredentials((self.user, password) if self.user else None, mask)


def check_url(value: str) -> str:
    """A URL of a REST API as it is used; raises ValueError where it is none, or has a password."""
    try:
        parsed = urlsplit(value)
        is_url = parsed.scheme in ("http", "https") and bool(parsed.hostname)
    except ValueError:
        is_url = False
    if not is_url:
        raise ValueError(f"'{value}' is not a URL; use http://HOST:PORT")
    if parsed.username or parsed.password:
        raise ValueError("no user or password in the URL; use --user and --password")
    return value.rstrip("/")


class RestClient:
    """Gets JSON; whatever else is answered is a SourceUnavailable with the reason."""

    def __init__(
        self,
        settings: ConnectionSettings,
        at_once: int,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = settings.url
        self._sleep = sleep
        self._at_once = at_once
        self._credentials = settings.credentials()
        try:
            self._http = httpx2.Client(
                auth=self._credentials.auth,
                timeout=parse_duration(settings.timeout).total_seconds(),
                limits=httpx2.Limits(max_connections=at_once, max_keepalive_connections=at_once),
                # Nothing to check in plain text, and to load the system's CAs takes a while.
                verify=settings.url.startswith("https:") and open_tls(settings),
                transport=transport,
                # A proxy cannot reach this machine's own loopback address.
                trust_env=not is_loopback(httpx2.URL(settings.url).host),
            )
        except OSError as error:
            raise BadConfig("--ca or --certificate", f"cannot be used: {error}") from None

    def close(self) -> None:
        self._http.close()

    def get(self, path: str) -> Any:
        return self._json(self._request(path))

    def post(self, path: str, body: Any, accept: str, *also: int) -> tuple[int, Any]:
        """The state and the JSON that a request with a body is answered with.

        States other than success are a SourceUnavailable, but for those that are named.
        """
        return self._expected(self._request(path, "POST", body, {"Accept": accept}), also)

    def read(self, path: str, *also: int) -> tuple[int, Any]:
        """The state and the JSON at a path; `also` as of a POST."""
        return self._expected(self._request(path), also)

    def delete(self, path: str) -> None:
        """Have something away; that it is gone already is as good."""
        answer = self._request(path, "DELETE")
        if answer.status_code != 404:
            self._json(answer)

    def read_each(self, items: Iterable[Item], read: Callable[[Item], Found]) -> Iterator[Found]:
        """What is read for each, in their order, as many at once as this client may ask."""
        with ThreadPoolExecutor(self._at_once) as pool:
            yield from pool.map(read, items)

    def find(self, path: str, *absent: int) -> Any:
        """What is at a path; None where one of these states is answered."""
        answer = self._request(path)
        return None if answer.status_code in absent else self._json(answer)

    def _request(
        self,
        path: str,
        method: str = "GET",
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> httpx2.Response:
        for wait in (*_WAITS, None):
            try:
                answer = self._http.request(method, self.url + path, json=body, headers=headers)
            except httpx2.TransportError as error:
                text = str(error).partition("\n")[0] or type(error).__name__
                reason = f"no answer: {self._masked(text)}"
                raise RestUnavailable(self.url, reason, _ADVICE[0]) from None
            if answer.status_code not in _AGAIN or wait is None:
                return answer
            self._sleep(_requested_wait(answer) or wait)
        raise AssertionError

    def _expected(self, answer: httpx2.Response, also: tuple[int, ...]) -> tuple[int, Any]:
        if answer.status_code not in also:
            return answer.status_code, self._json(answer)
        try:
            return answer.status_code, answer.json()
        except (ValueError, RecursionError):
            # As an error it is none of this API's: what it says counts.
            return answer.status_code, self._json(answer)

    def _json(self, answer: httpx2.Response) -> Any:
        status = answer.status_code
        advice = _ADVICE.get(status) or _ADVICE[500 if status >= 500 else 404]
        if status == REBALANCING:
            reason = "its workers are rebalancing, and do not end it"
            raise RestUnavailable(self.url, reason, advice)
        if status in (401, 403):
            options = self._credentials.options
            reason = f"answered {status}: check {options}, and what they may read"
            advice = advice.replace(RequestCredentials().options, options)
            raise RestUnavailable(self.url, reason, advice, status)
        if not answer.is_success:
            text = self._masked(" ".join(answer.text.split()))[:_MAX_REASON]
            raise RestUnavailable(self.url, f"answered {status}: {text}", advice, status)
        try:
            return answer.json()
        except (ValueError, RecursionError):
            reason = "answered something that is not JSON"
            raise RestUnavailable(self.url, reason, _ADVICE[200]) from None

    def _masked(self, text: str) -> str:
        return self._credentials.mask(text)


def _requested_wait(answer: httpx2.Response) -> float:
    """The seconds that an answer asks to be left alone, within reason; 0 if it does not say."""
    requested = answer.headers.get("Retry-After", "")
    return min(float(requested), _LONGEST_WAIT) if requested.isdecimal() else 0.0


def is_loopback(host: str) -> bool:
    return host in _LOOPBACK


def open_tls(settings: ConnectionSettings) -> ssl.SSLContext:
    """What a server's certificate is checked with, and the client's own, if it has one."""
    context = ssl.create_default_context(cafile=str(settings.ca) if settings.ca else None)
    if settings.certificate is not None:
        context.load_cert_chain(settings.certificate)
    return context
