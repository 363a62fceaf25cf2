"""Requests that a page of somebody else makes a browser send: refused before anything is read.

A server without keys trusts who can reach it, and a browser on the same machine can. Two rules keep
foreign pages out; clients that are no browsers send none of what the second one reads:

- `Host` must be a name of this server. A page whose own name was made to resolve to this machine
  (DNS rebinding) is same-origin to its browser, and only this header shows it.
- What writes must not come from another origin, as `Sec-Fetch-Site` tells, or, from browsers that
  do not send it, a comparison of `Origin` with `Host`.
"""

from functools import lru_cache
from ipaddress import ip_address

from headwater.config import ServerSettings
from headwater.errors import ForeignRequest, InvalidRequest
from headwater.server.http.body import READING, Scope

_SAME_ORIGIN = (b"same-origin", b"none")


class OwnNames:
    """The names by which this server is requested, and the check of a request against them."""

    def __init__(self, settings: ServerSettings) -> None:
        self._given = frozenset(settings.host_names)
        self._own = self._given | {"localhost", settings.host.lower()}

    def check(self, scope: Scope, is_open: bool) -> None:
        """Refuse what a foreign page may have sent; `is_open` where no key keeps it out."""
        host, origin, site = _read_fields(scope)
        # A page that was given no key reads nothing, whatever its name resolves to.
        if (is_open or self._given) and host is not None and not self._is_own(host, scope):
            raise ForeignRequest(
                "Host",
                f"'{_shown(host)}' is not a name of this server; "
                "add it to the setting server.hosts if it is",
            )
        if scope["method"] in READING or (origin is None and site is None):
            return
        if origin is not None and name_of(origin.partition(b"://")[2]) in self._given:
            return
        if site is not None:
            is_foreign = site not in _SAME_ORIGIN
        else:
            is_foreign = origin is not None and origin.partition(b"://")[2] != host
        if is_foreign:
            raise ForeignRequest(
                "Origin",
                f"a page of '{_shown(origin or b'another site')}' may not write here; "
                "add its name to the setting server.hosts if it may",
            )

    def _is_own(self, host: bytes, scope: Scope) -> bool:
        name = name_of(host)
        if name in self._own or _is_loopback(name):
            return True
        # The address at which this request came in, where the server listens on all.
        bound = scope.get("server")
        return bound is not None and name == bound[0]


def _read_fields(scope: Scope) -> tuple[bytes | None, bytes | None, bytes | None]:
    """Host, Origin and Sec-Fetch-Site; None for what was not sent."""
    host = origin = site = None
    for name, value in scope["headers"]:
        if name == b"host":
            if host is not None:
                raise InvalidRequest("Host", "sent twice; send one")
            host = value
        elif name == b"origin":
            origin = value
        elif name == b"sec-fetch-site":
            site = value
    version = scope.get("http_version")
    if version == "0.9":
        raise InvalidRequest("request", "HTTP/0.9 is not spoken here; use HTTP/1.1")
    # HTTP/1.0 has no such header, and health checks of proxies speak it.
    if not host and version != "1.0":
        raise InvalidRequest("Host", "missing; every HTTP/1.1 request names the server it is for")
    return host or None, origin, site


@lru_cache(maxsize=256)
def name_of(authority: bytes) -> str:
    """The name of `name:port`, in lower case; an address of IPv6 without its brackets."""
    text = authority.decode("latin-1").lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].removesuffix(".")


@lru_cache(maxsize=256)
def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _shown(value: bytes) -> str:
    return value[:100].decode("latin-1")
