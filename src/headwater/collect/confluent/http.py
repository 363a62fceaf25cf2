"""Requests to Confluent Cloud's APIs: authentication, waits, paging and time limits."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import httpx2

from headwater.collect.confluent.settings import ApiKey, ConfluentSettings
from headwater.collect.rest import RestUnavailable, is_loopback, open_tls
from headwater.config import resolve_secret
from headwater.durations import parse_duration
from headwater.errors import BadConfig

Json = dict[str, Any]

AT_ONCE = 24
PAGE_SIZE = 100
_WAITS = (0.5, 1.0, 2.0, 4.0, 8.0)
_MOST_WAITS = 30
_LONGEST_WAIT = 60.0
_MAX_REASON = 300
# More pages than any account has: a list that never ends is a fault.
_MOST_PAGES = 100_000
_ADVICE = {
    0: "does it answer others in time? --timeout says how long it is waited for",
    200: "is this the address of the API, and not of a page for people or a login?",
    400: "is the resource still there, and of this environment?",
    401: "is the key of this resource, and its secret right? --keys names one for each resource",
    403: "let the key's owner read this resource (roles MetricsViewer, CloudClusterAdmin, ...)",
    404: "is the resource still there, and of this environment?",
    429: "look less often, with --every; other programs may use up the limit",
    500: "look at Confluent's status page; it is up, but cannot answer",
}


class NoKey(RestUnavailable):
    """A resource whose API key nobody has given: it has never been read."""


class NotNow(RestUnavailable):
    """An API that is too slow, too busy or at fault: another try may work."""


class Deadline:
    """The end of the time that a part of a pass may take."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def left(self, url: str) -> float:
        """The seconds that are left; raises SourceUnavailable when none are."""
        left = self._end - self._clock()
        if left <= 0:
            advice = "--phase-timeout gives it more time"
            raise NotNow(url, f"took longer than {self.seconds:g} seconds", advice)
        return left


class CloudHttp:
    """Connections that all parts of a pass share."""

    def __init__(
        self,
        settings: ConfluentSettings,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.timeout = parse_duration(settings.timeout).total_seconds()
        self.sleep = sleep
        limits = httpx2.Limits(max_connections=2 * AT_ONCE, max_keepalive_connections=2 * AT_ONCE)
        is_local = is_loopback(httpx2.URL(settings.url).host)
        try:
            self.client = httpx2.Client(
                limits=limits,
                timeout=self.timeout,
                verify=settings.url.startswith("https:") and open_tls(settings),
                transport=transport,
                # A proxy cannot reach this machine's own loopback address.
                trust_env=not is_local,
            )
        except OSError as error:
            raise BadConfig("--ca or --certificate", f"cannot be used: {error}") from None

    def close(self) -> None:
        self.client.close()


class Endpoint:
    """One API at one address, with its key and the time that is left for it."""

    def __init__(self, http: CloudHttp, url: str, key: ApiKey | None, deadline: Deadline) -> None:
        self.url = url.rstrip("/")
        self._http = http
        self._deadline = deadline
        self._secret = resolve_secret(key.secret).get_secret_value() if key else ""
        self._auth = httpx2.BasicAuth(key.key, self._secret) if key else None

    def get(self, path: str, params: Mapping[str, str] | None = None) -> Any:
        return self._json(self._request("GET", self.url + path, params))

    def find(self, path: str, *absent: int) -> Any:
        """What is at a path; None where one of these states is answered."""
        answer = self._request("GET", self.url + path, None)
        return None if answer.status_code in absent else self._json(answer)

    def post(
        self,
        path: str,
        body: Json,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        return self._json(self._request("POST", self.url + path, params, body, headers))

    def pages(self, path: str, params: Mapping[str, str] | None = None) -> Iterator[Json]:
        """The entries of all pages of a list; `metadata.next` is the next one's whole address."""
        found = self.get(path, params)
        seen: set[str] = set()
        while True:
            yield from self._entries(found, path)
            following = (found.get("metadata") or {}).get("next")
            if not following:
                return
            target = self._next_target(str(following), path)
            if target in seen or len(seen) >= _MOST_PAGES:
                # Nothing more would come, for ever.
                self.fail(f"the list {path} does not end: a page repeats")
            seen.add(target)
            found = self._json(self._request("GET", target, None))

    def fail(self, reason: str) -> NoReturn:
        """Report an answer that cannot be right."""
        raise RestUnavailable(self.url, reason, _ADVICE[500])

    def _entries(self, found: Any, path: str) -> list[Json]:
        entries = found.get("data") if isinstance(found, dict) else None
        if not isinstance(entries, list):
            raise RestUnavailable(self.url, f"the list {path} has no 'data'", _ADVICE[200])
        return [each for each in entries if isinstance(each, dict)]

    def _next_target(self, following: str, path: str) -> str:
        """The address of a next page at this API: a key is sent nowhere else."""
        url = httpx2.URL(self.url).join(following)
        own = httpx2.URL(self.url)
        if (url.scheme, url.host, url.port) != (own.scheme, own.host, own.port):
            reason = f"the next page of {path} is at another address"
            raise RestUnavailable(self.url, reason, _ADVICE[200])
        return str(url)

    def _request(
        self,
        method: str,
        target: str,
        params: Mapping[str, str] | None,
        body: Json | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        for attempt in range(_MOST_WAITS):
            left = self._deadline.left(self.url)
            wait = _WAITS[min(attempt, len(_WAITS) - 1)]
            is_last = attempt >= len(_WAITS)
            try:
                answer = self._http.client.request(
                    method,
                    target,
                    params=params,
                    json=body,
                    headers=headers,
                    auth=self._auth or httpx2.USE_CLIENT_DEFAULT,
                    timeout=min(self._http.timeout, left),
                )
            except httpx2.TransportError as error:
                if is_last:
                    text = str(error).partition("\n")[0] or type(error).__name__
                    reason = f"no answer: {self._masked(text)}"
                    raise NotNow(self.url, reason, _ADVICE[0]) from None
            else:
                # A limit is waited for as long as the part has time; a fault not so long.
                if answer.status_code != 429 and (answer.status_code < 500 or is_last):
                    return answer
                wait = _requested_wait(answer) or wait
            self._http.sleep(min(wait, self._deadline.left(self.url)))
        return answer

    def _json(self, answer: httpx2.Response) -> Any:
        status = answer.status_code
        if not answer.is_success:
            advice = _ADVICE.get(status) or _ADVICE[500 if status >= 500 else 404]
            reason = f"answered {status}: {self._masked(_message(answer))[:_MAX_REASON]}"
            kind = NotNow if status == 429 or status >= 500 else RestUnavailable
            raise kind(self.url, reason, advice)
        try:
            return answer.json()
        except (ValueError, RecursionError):
            reason = "answered something that is not JSON"
            raise RestUnavailable(self.url, reason, _ADVICE[200]) from None

    def _masked(self, text: str) -> str:
        return text.replace(self._secret, "***") if self._secret else text


def _message(answer: httpx2.Response) -> str:
    """What an error says, in any of the shapes of Confluent's APIs; HTML has nothing to say."""
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        is_page = "<html" in answer.text[:1_000].lower()
        return "a page of HTML" if is_page else " ".join(answer.text.split())
    errors = found.get("errors") if isinstance(found, dict) else None
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        return str(errors[0].get("detail") or errors[0].get("title") or errors[0])
    return str(found.get("message") or found) if isinstance(found, dict) else str(found)


def _requested_wait(answer: httpx2.Response) -> float:
    """The seconds that an answer asks to be left alone, within reason; 0 if it does not say."""
    for header in ("Retry-After", "X-RateLimit-Reset"):
        requested = answer.headers.get(header, "")
        if requested.isdecimal():
            return min(float(requested), _LONGEST_WAIT)
    return 0.0
