"""Speaking to a server over HTTP: one place for its address, the key, waiting and failing.

The address may be a store's: then the same requests are answered in this process.
"""

import ssl
import time
from collections.abc import Callable
from types import TracebackType
from typing import Annotated, Any, Self

import httpx2
import typer

from headwater.config import URL_VARIABLE, read_api_key
from headwater.errors import HeadwaterError, InvalidRequest, ServerRefused, ServerUnreachable

DEFAULT_URL = "http://127.0.0.1:5000"

ServerOption = Annotated[
    str,
    typer.Option(
        "--server",
        envvar=URL_VARIABLE,
        help="URL of the server; the API key is read from HEADWATER_API_KEY. Or the URL of a "
        "store, sqlite:///FILE or postgresql://USER@HOST/DB, which is read without a server.",
    ),
]

_STORES = frozenset(("sqlite", "postgresql"))
# Of requests that never leave this process.
_STORE_ADDRESS = "http://store"
_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))
# "Not now": the server stored nothing and asks to be sent the same again.
_NOT_NOW = frozenset((429, 503))
_ATTEMPTS = 8
_FIRST_WAIT_SECONDS = 0.25
_LONGEST_WAIT_SECONDS = 30.0
# A body of 20 MB is stored in a few seconds; a server that is busy may take longer.
_TIMEOUT = httpx2.Timeout(60.0, connect=5.0)
# For addresses without TLS.
_TRUSTS_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Client:
    """A connection to one server; every failure is an error with a next step."""

    def __init__(
        self,
        url: str,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._sleep = sleep
        self._has_answered = False
        self._is_store = transport is None and _is_store(url)
        key = read_api_key()
        address = httpx2.URL(_STORE_ADDRESS) if self._is_store else _parse_url(self.url)
        if self._is_store:
            transport, self.url = _open_store(url)
        self._http = httpx2.Client(
            base_url=address,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=_TIMEOUT,
            transport=transport,
            # Reading the certificates of all authorities takes longer than most requests.
            verify=_TRUSTS_NOBODY if address.scheme == "http" else True,
            # A proxy cannot reach this machine's own loopback address.
            trust_env=address.host not in _LOOPBACK,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.close()

    def read(self, path: str, **parameters: Any) -> Any:
        """Get what a path answers, as JSON."""
        answer = self.send("GET", path, params=parameters)
        if answer.status_code != 200:
            raise self.refusal(answer)
        return json_of(answer)

    def ask(self, path: str, **parameters: Any) -> Any:
        """Get a path; not found and invalid requests are shown with the server's message."""
        return json_of(self.ask_raw(path, **parameters))

    def ask_raw(self, path: str, **parameters: Any) -> httpx2.Response:
        """Get an answer that need not be JSON, else as `ask`."""
        given = {name: value for name, value in parameters.items() if value is not None}
        answer = self.send("GET", path, params=given)
        if answer.status_code in (400, 404) and _has_message(json_of(answer)):
            raise HeadwaterError(message_of(answer))
        if answer.status_code != 200:
            raise self.refusal(answer)
        return answer

    def send_once(self, method: str, path: str, **request: Any) -> httpx2.Response:
        """Send a request whose answer is returned whatever it is, "not now" included."""
        self._refuse_to_write_to_a_store(method)
        try:
            return self._http.request(method, path, **request)
        except httpx2.TransportError as error:
            raise ServerUnreachable(self.url, _reason(error)) from None

    def send(self, method: str, path: str, **request: Any) -> httpx2.Response:
        """Send a request, and retry while the server is unavailable; the caller reads the rest.

        Everything sent here may be sent twice: reading changes nothing, nor does an event again.
        """
        self._refuse_to_write_to_a_store(method)
        wait = _FIRST_WAIT_SECONDS
        for is_last in (*(False,) * (_ATTEMPTS - 1), True):
            try:
                answer = self._http.request(method, path, **request)
            except httpx2.TransportError as error:
                # Never answered: a wrong address. Has answered before: restarting.
                if is_last or not self._has_answered:
                    raise ServerUnreachable(self.url, _reason(error)) from None
                self._sleep(wait)
            else:
                self._has_answered = True
                if is_last or answer.status_code not in _NOT_NOW:
                    return answer
                self._sleep(_retry_after(answer, wait))
            wait = min(wait * 2, _LONGEST_WAIT_SECONDS)
        raise AssertionError("the last attempt returns or raises")

    def _refuse_to_write_to_a_store(self, method: str) -> None:
        if self._is_store and method != "GET":
            raise InvalidRequest(
                "--server",
                "this command cannot write to a store directly; give the URL of a server",
            )

    def refusal(self, answer: httpx2.Response) -> ServerRefused:
        """The error that an answer stands for."""
        return ServerRefused(self.url, answer.status_code, message_of(answer))


def message_of(answer: httpx2.Response) -> str:
    """The error message of a response: in our format, or of another server."""
    found = json_of(answer)
    if _has_message(found):
        return str(found["message"])
    return answer.reason_phrase or "no reason given"


def _has_message(found: Any) -> bool:
    return isinstance(found, dict) and isinstance(found.get("message"), str)


def json_of(answer: httpx2.Response) -> Any:
    """An answer's JSON; None where it is none, as of a proxy's error page."""
    try:
        return answer.json()
    except ValueError:
        return None


def _is_store(url: str) -> bool:
    """Whether a URL is a store's, with or without a driver, and not a server's."""
    scheme, mark, _ = url.partition(":")
    return bool(mark) and scheme.partition("+")[0] in _STORES


def _open_store(url: str) -> tuple[httpx2.BaseTransport, str]:
    """What answers for a store, and the store's URL without its secrets."""
    # A server's worth of modules, which no other address needs.
    from headwater.server.in_process import open_store

    transport = open_store(url)
    return transport, transport.where


def _parse_url(url: str) -> httpx2.URL:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        parsed = httpx2.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise InvalidRequest(
            "--server", f"'{url}' is not a URL; use http://HOST:PORT or the URL of a store"
        )
    return parsed


def _retry_after(answer: httpx2.Response, wait: float) -> float:
    """How long the server asks to wait, within reason; a date is answered by our own pace."""
    seconds = answer.headers.get("retry-after", "")
    return min(float(seconds), _LONGEST_WAIT_SECONDS) if seconds.isdecimal() else wait


def _reason(error: httpx2.TransportError) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "it took too long"
    text = str(error).partition("\n")[0]
    return text[:1].lower() + text[1:] if text else type(error).__name__
