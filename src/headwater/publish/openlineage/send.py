"""Events to an OpenLineage backend by HTTP: what it answers, and what that means."""

import time
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx2
from pydantic import SecretStr

from headwater.emit.batch import BatchFailure, batch_body, read_batch_answer
from headwater.errors import TargetUnavailable
from headwater.plugins import CheckStep
from headwater.publish.catalog import ItemRefused, KeyRefused

_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))
_TIMEOUT = httpx2.Timeout(60.0, connect=5.0)
# Of the address, the key or the moment, and not of the event: another event would meet the same.
_NOT_OF_THE_EVENT = frozenset((401, 402, 403, 404, 405, 407, 408, 421, 425, 426, 429))
# Passes by itself; the others of these are to be mended by people.
_PASSING = frozenset((408, 425, 429, 502, 503, 504))
_NEXT_STEPS = {
    401: "set --token, or the variable that --api-key-env names, to a key of the backend",
    403: "the key may not send events: use another",
    404: "check --to and --endpoint",
    405: "check --to and --endpoint",
}
# One event that makes a backend fail is the event's fault; several in a row are the backend's.
_FAILURES_IN_A_ROW = 3
_MAX_REASON = 500


def check_url(url: str) -> str:
    """Refuse what is no address of a backend; raises ValueError."""
    try:
        parsed, host = httpx2.URL(url), urlsplit(url).hostname
    except (httpx2.InvalidURL, ValueError):
        parsed, host = httpx2.URL(), None
    if parsed.scheme not in ("http", "https") or not host:
        raise ValueError(f"'{url}' is not a URL; use http://HOST:PORT")
    if parsed.userinfo or parsed.query:
        # It is stored, listed and logged.
        raise ValueError("no user, password or query in the URL; use --token for a key")
    return url.rstrip("/")


class HttpTarget:
    """A connection to a backend."""

    def __init__(
        self,
        address: str,
        key: SecretStr | None = None,
        batch: int = 1,
        transport: httpx2.BaseTransport | None = None,
        more_headers: Mapping[str, SecretStr] | None = None,
    ) -> None:
        self._address = address
        self._batch = batch
        more = {name: each.get_secret_value() for name, each in (more_headers or {}).items()}
        headers = {"Content-Type": "application/json"}
        self._secrets = [value for value in more.values() if value]
        if key is not None:
            headers["Authorization"] = f"Bearer {key.get_secret_value()}"
            self._secrets.append(key.get_secret_value())
        headers |= more
        self._http = httpx2.Client(
            headers=headers,
            timeout=_TIMEOUT,
            transport=transport,
            # A proxy cannot reach this machine's own loopback address.
            trust_env=httpx2.URL(address).host not in _LOOPBACK,
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

    def check(self) -> list[CheckStep]:
        """Send an array of no events: every backend answers, and none has anything to keep."""
        try:
            answer = self._post(b"[]")
        except TargetUnavailable as error:
            return [CheckStep("connect", False, error.reason, "is it running, and is --to right?")]
        steps = [CheckStep("connect", True, f"{self._address} answers")]
        status = answer.status_code
        # What is not an event may be refused as one, or make it fail.
        is_ok = answer.is_success or (400 <= status < 500 and status not in _NOT_OF_THE_EVENT)
        is_ok = is_ok or status == 500
        next_step = _NEXT_STEPS.get(status, "see the backend's log")
        detail = f"takes events (answered {status})" if is_ok else self._describe(answer)
        return [*steps, CheckStep("accept", is_ok, detail, "" if is_ok else next_step)]

    def send(self, events: Sequence[bytes]) -> Iterator[tuple[int, str | None]]:
        """Send events; for each, by its index, None or why the backend refuses it."""
        if self._batch == 1:
            yield from self._send_each(events)
            return
        for start in range(0, len(events), self._batch):
            some = events[start : start + self._batch]
            for index, reason in self._send_batch(some):
                yield start + index, reason

    def send_one(self, event: bytes) -> None:
        """Send an event that stands for itself; raises ItemRefused where it is not taken."""
        answer = self._post(event)
        status = answer.status_code
        if status in (401, 407):
            raise KeyRefused(self._address, self._describe(answer))
        if status in _PASSING:
            wait = read_retry_after(answer) or 1.0
            raise TargetUnavailable(self._address, self._describe(answer), wait)
        if status >= 500:
            raise ItemRefused(self._describe(answer), is_retriable=True)
        if status == 403:
            raise ItemRefused(self._describe(answer))
        reason = self._reason(answer)
        if reason is not None:
            raise ItemRefused(reason)

    def _send_batch(self, events: Sequence[bytes]) -> Iterator[tuple[int, str | None]]:
        """Send events at once; those refused, or failing, as a whole are sent one by one."""
        answer = self._post(batch_body(events), "/batch")
        failures = read_batch_answer(answer.status_code, answer.content, len(events))
        if failures is None and answer.is_success and b"failed_events" not in answer.content:
            # One that does not tell of each has taken them all, as it says.
            failures = [None] * len(events)
        if failures is not None:
            yield from self._read_failures(failures, answer)
            return
        if answer.status_code in (404, 405):
            reason = f"{self._describe(answer)}; leave out --batch"
            raise TargetUnavailable(f"{self._address}/batch", reason)
        if answer.status_code != 500:
            self._reason(answer)
        yield from self._send_each(events)

    def _read_failures(
        self, failures: Sequence[BatchFailure | None], answer: httpx2.Response
    ) -> Iterator[tuple[int, str | None]]:
        """The results of a batch; raises in the end where some are to be sent again."""
        later: list[str] = []
        for index, failure in enumerate(failures):
            if failure is not None and failure.retriable:
                later.append(self._masked(failure.reason))
            else:
                yield index, None if failure is None else self._masked(failure.reason)
        if later:
            reason = f"asks to be sent {len(later):,} events again later: {later[0]}"
            raise TargetUnavailable(f"{self._address}/batch", reason, read_retry_after(answer))

    def _send_each(self, events: Sequence[bytes]) -> Iterator[tuple[int, str | None]]:
        """Send events one by one.

        One that makes the backend fail is tried again after the others, and is refused only if
        it took any of these: else it is the backend that fails.
        """
        failed: list[int] = []
        has_taken = False
        for index, event in enumerate(events):
            answer = self._post(event)
            if answer.status_code != 500:
                yield index, self._reason(answer)
                has_taken = has_taken or answer.is_success
                continue
            failed.append(index)
            if not has_taken and len(failed) == _FAILURES_IN_A_ROW:
                raise self._unavailable(answer)
        for index in failed:
            answer = self._post(events[index])
            if answer.status_code != 500:
                yield index, self._reason(answer)
            elif has_taken:
                yield index, f"{self._describe(answer)}; it took others meanwhile"
            else:
                raise self._unavailable(answer)

    def _post(self, body: bytes, below: str = "") -> httpx2.Response:
        try:
            answer = self._http.post(self._address + below, content=body)
        except httpx2.TransportError as error:
            text = str(error).partition("\n")[0] or type(error).__name__
            reason = f"no answer: {self._masked(text)}"
            # An answer that was lost is worth another try at once; nobody there is not.
            is_lost = not isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout))
            raise TargetUnavailable(self._address, reason, 1.0 if is_lost else None) from None
        if answer.is_success and answer.content.lstrip().startswith(b"<"):
            # Of what stands before the backend, such as a login: nothing was taken.
            reason = f"answered {answer.status_code} with a web page; is the address right?"
            raise TargetUnavailable(self._address, reason)
        return answer

    def _reason(self, answer: httpx2.Response) -> str | None:
        """None where an event was taken, or why it was refused; raises where none would be."""
        if answer.is_success:
            return None
        if 400 <= answer.status_code < 500 and answer.status_code not in _NOT_OF_THE_EVENT:
            return self._describe(answer)
        raise self._unavailable(answer)

    def _unavailable(self, answer: httpx2.Response) -> TargetUnavailable:
        return TargetUnavailable(self._address, self._describe(answer), read_retry_after(answer))

    def _describe(self, answer: httpx2.Response) -> str:
        """What a backend answered, in a line."""
        if location := answer.headers.get("location"):
            return self._masked(f"answered {answer.status_code}, moved to {location}; use that URL")
        text = self._masked(" ".join(answer.text.split()))[:_MAX_REASON]
        return f"answered {answer.status_code}: {text or answer.reason_phrase}"

    def _masked(self, text: str) -> str:
        """What a backend says, without the key: some repeat what they were sent."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def read_retry_after(answer: httpx2.Response) -> float | None:
    """How many seconds a backend asks to be left alone: given as such, or as a time."""
    given = answer.headers.get("retry-after", "").strip()
    if given.isdecimal():
        return float(given)
    try:
        until = parsedate_to_datetime(given)
    except ValueError:
        return None
    return max(0.0, until.timestamp() - time.time())
