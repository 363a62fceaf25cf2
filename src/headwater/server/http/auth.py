"""The one gate in front of every request: its size, its origin, its key, that key's scope and rate.

Who comes in is `scope["state"]["actor"]` (`request.state.actor` in a route): the name of the key,
`local` where no key is required, `anonymous` on the paths that are open to all. What they may do
is `scopes` beside it.
"""

import math
import time
from collections.abc import Callable, Iterable

from headwater.errors import (
    Forbidden,
    HeadersTooLarge,
    TooManyRequests,
    Unauthorized,
    UrlTooLong,
)
from headwater.model.access import (
    ADMIN,
    ANONYMOUS,
    LOCAL,
    READ,
    SCOPES,
    WRITE,
    Key,
    digest_of,
)
from headwater.server.http.body import READING, Scope
from headwater.server.http.bridge_paths import PUBLIC_PATHS
from headwater.server.http.foreign import OwnNames
from headwater.server.http.guesses import Guesses
from headwater.server.http.keyring import Keyring
from headwater.server.web.pages import is_lost_page, is_web_path

MAX_URL_BYTES = 16_384
MAX_HEADER_BYTES = 32_768

# Open without a key, as they reveal nothing of the store: what probes ask, and
# the pages, which ask for a key before they read anything.
OPEN_PATHS = frozenset((b"/healthz", b"/readyz")) | PUBLIC_PATHS
# Paths, with all below them, for which a key must have the scope `admin`.
ADMIN_PATHS: tuple[bytes, ...] = (b"/api/v1/admin",)

# A body counts as one request for each of these: what it unpacks to, not what was sent.
BYTES_A_REQUEST = 100_000
# A key that was quiet may make up for so much of it at once.
_BURST_SECONDS = 2


class Gate:
    """Lets a request in, or raises why not. Reads no body."""

    def __init__(
        self,
        keyring: Keyring,
        names: OwnNames,
        max_requests_per_second: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._keyring = keyring
        self._names = names
        self._rate = max_requests_per_second
        self._clock = clock
        self._guesses = Guesses(clock)
        self._buckets: dict[str, Bucket] = {}

    def admit(self, scope: Scope) -> None:
        """Check a request and note its actor. Without keys this costs about a microsecond."""
        path, headers = scope["raw_path"], scope["headers"]
        _check_size(len(path) + len(scope["query_string"]), headers)
        keys = self._keyring.keys
        self._names.check(scope, is_open=keys is None)
        scopes: frozenset[str] = frozenset(SCOPES)
        if keys is None:
            actor = LOCAL
        elif path in OPEN_PATHS or is_web_path(path) or is_lost_page(scope):
            actor, scopes = ANONYMOUS, frozenset()
        else:
            secret = _secret_of(headers)
            if not secret:
                raise Unauthorized(
                    "a key is required; send it as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'"
                )
            digest = digest_of(secret)
            self._guesses.check(scope, digest)
            key = keys.get(digest)
            if key is None:
                self._guesses.note_wrong(scope, digest)
                raise Unauthorized("the key is unknown or was revoked")
            self._guesses.note_right(scope, digest)
            bucket = self._check_rate(key)
            if bucket is not None:
                scope.setdefault("state", {})["bucket"] = bucket
            needed = needed_scope(scope["method"], path)
            if needed not in key.scopes:
                raise Forbidden(key.name, needed)
            actor, scopes = key.name, key.scopes
        scope.setdefault("state", {}).update(actor=actor, scopes=scopes)

    def is_still_admitted(self, scope: Scope) -> bool:
        """Whether a read that goes on for long may still go on: keys are revoked meanwhile."""
        keys = self._keyring.keys
        if keys is None:
            return True
        key = keys.get(digest_of(_secret_of(scope["headers"])))
        return key is not None and READ in key.scopes

    def _check_rate(self, key: Key) -> "Bucket | None":
        """Take a request off a key's share; gives the share, for what the request brings."""
        if not self._rate:
            return None
        now = self._clock()
        bucket = self._buckets.get(key.name)
        if bucket is None:
            # As many as there are names of keys, which only an administrator gives.
            bucket = self._buckets[key.name] = Bucket(self._rate, now)
        if wait := bucket.take(now):
            raise TooManyRequests(key.name, math.ceil(wait))
        return bucket


def charge_bytes(scope: Scope, size: int) -> None:
    """Take a body off the share of the key that sent it; what comes next waits for it."""
    bucket: Bucket | None = scope["state"].get("bucket")
    if bucket is not None:
        bucket.charge(size // BYTES_A_REQUEST)


class Bucket:
    """Tokens of one key: they come at a steady rate, and a request takes one."""

    __slots__ = ("_at", "_rate", "_tokens")

    def __init__(self, rate: int, now: float) -> None:
        self._rate = rate
        self._tokens = float(rate * _BURST_SECONDS)
        self._at = now

    def take(self, now: float) -> float:
        """Take a token; where there is none, the seconds until there is one."""
        most = self._rate * _BURST_SECONDS
        self._tokens = min(most, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) / self._rate

    def charge(self, tokens: int) -> None:
        """Take tokens that may not have come yet."""
        self._tokens -= tokens


# Who changes what is below them has this machine read from elsewhere, with its secrets.
_CHANGED_BY_ADMINS = b"/api/v1/ingestions"


def needed_scope(method: str, path: bytes) -> str:
    """The scope a request needs: by its method, but for the paths of administrators."""
    for admin in ADMIN_PATHS:
        if path.startswith(admin) and path[len(admin) : len(admin) + 1] in (b"", b"/"):
            return ADMIN
    if method in READING:
        return READ
    return ADMIN if path.startswith(_CHANGED_BY_ADMINS) else WRITE


def url_too_long() -> UrlTooLong:
    return UrlTooLong("url", f"longer than {MAX_URL_BYTES:,} bytes")


def headers_too_large() -> HeadersTooLarge:
    return HeadersTooLarge("headers", f"together larger than {MAX_HEADER_BYTES:,} bytes")


def _check_size(url_bytes: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
    if url_bytes > MAX_URL_BYTES:
        raise url_too_long()
    size = 0
    for name, value in headers:
        size += len(name) + len(value)
    if size > MAX_HEADER_BYTES:
        raise headers_too_large()


def _secret_of(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The key a request shows; empty where it shows none."""
    other = b""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, secret = value.partition(b" ")
            # Another scheme may be meant for a proxy on the way.
            if scheme.lower() == b"bearer":
                return bytes(secret.strip())
        elif name == b"x-api-key":
            other = bytes(value.strip())
    return other
