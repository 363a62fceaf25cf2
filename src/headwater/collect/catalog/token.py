"""Requests that are signed with a token, which may have to be had anew."""

import threading
from collections.abc import Callable, Generator

import httpx2

from headwater.collect.rest import RequestCredentials


class BearerAuth(httpx2.Auth):
    """Signs with a token; `read` gives it, anew where the one before is refused."""

    def __init__(self, read: Callable[[bool], str]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self.token = ""

    def auth_flow(
        self, request: httpx2.Request
    ) -> Generator[httpx2.Request, httpx2.Response, None]:
        token = self._current("")
        request.headers["Authorization"] = f"Bearer {token}"
        answer = yield request
        if answer.status_code == 401:
            # It may just have run out.
            request.headers["Authorization"] = f"Bearer {self._current(token)}"
            yield request

    def mask(self, text: str) -> str:
        return text.replace(self.token, "***") if self.token else text

    def _current(self, refused: str) -> str:
        with self._lock:
            if self.token == refused:
                self.token = self._read(bool(refused))
            return self.token


def bearer_credentials(read: Callable[[bool], str], options: str) -> RequestCredentials:
    auth = BearerAuth(read)
    return RequestCredentials(auth, auth.mask, options)
