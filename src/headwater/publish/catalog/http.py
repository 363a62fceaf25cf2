"""JSON over HTTP to a catalog: what its answers mean, for an item or for the whole pass."""

from collections.abc import Callable
from typing import Any

import httpx2

from headwater.errors import TargetUnavailable
from headwater.publish.catalog import ItemRefused, ItemSkipped, Json, KeyRefused
from headwater.publish.openlineage.send import read_retry_after

_TIMEOUT = httpx2.Timeout(60.0, connect=5.0)
_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))
_MAX_REASON = 500


class CatalogHttp:
    """A connection to one catalog; `token` gives the key, anew if it is to."""

    def __init__(
        self,
        url: str,
        token: Callable[[bool], str],
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._url = url
        self._token = token
        self._key = ""
        self._http = httpx2.Client(
            timeout=_TIMEOUT,
            transport=transport,
            # A proxy cannot reach this machine's own loopback address.
            trust_env=httpx2.URL(url).host not in _LOOPBACK,
        )

    def close(self) -> None:
        self._http.close()

    def call(
        self, method: str, path: str, body: Any = None, params: dict[str, str] | None = None
    ) -> Json:
        """Send a request; raises ItemSkipped where a path is not there."""
        answer = self._send(method, path, body, params, is_again=False)
        if answer.status_code == 401:
            # The key may just have run out.
            answer = self._send(method, path, body, params, is_again=True)
        if answer.is_success:
            return _read_json(answer)
        raise self._meaning(answer)

    def _send(
        self, method: str, path: str, body: Any, params: dict[str, str] | None, is_again: bool
    ) -> httpx2.Response:
        if is_again or not self._key:
            self._key = self._token(is_again)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            return self._http.request(
                method, f"{self._url}{path}", json=body, params=params, headers=headers
            )
        except httpx2.TransportError as error:
            text = str(error).partition("\n")[0] or type(error).__name__
            # An answer that was lost is worth another try at once; nobody there is not.
            is_lost = not isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout))
            reason = f"no answer: {self._masked(text)}"
            raise TargetUnavailable(self._url, reason, 1.0 if is_lost else None) from None

    def _meaning(self, answer: httpx2.Response) -> Exception:
        status, reason = answer.status_code, self._describe(answer)
        if status in (401, 407):
            return KeyRefused(self._url, reason)
        if status == 404:
            return ItemSkipped(reason)
        if status in (408, 425, 429, 502, 503, 504):
            return TargetUnavailable(self._url, reason, read_retry_after(answer) or 1.0)
        return ItemRefused(reason, is_retriable=status >= 500)

    def _describe(self, answer: httpx2.Response) -> str:
        """What a catalog answered, in a line and without the key: some repeat what they got."""
        text = self._masked(" ".join(answer.text.split()))[:_MAX_REASON]
        return f"answered {answer.status_code}: {text or answer.reason_phrase}"

    def _masked(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _read_json(answer: httpx2.Response) -> Json:
    try:
        found = answer.json() if answer.content else {}
    except ValueError:
        raise ItemRefused("answered with what is not JSON; is the address right?") from None
    return found if isinstance(found, dict) else {"value": found}
