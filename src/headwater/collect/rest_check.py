"""Trying the way to a REST API, step by step, so that it is known which part of it fails."""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from headwater.collect.rest import (
    ConnectionSettings,
    RestUnavailable,
    is_loopback,
    open_tls,
)
from headwater.collect.state_file import StateFile
from headwater.durations import parse_duration
from headwater.errors import HeadwaterError
from headwater.plugins import CheckStep

_PORTS = {"http": 80, "https": 443}


class RestApi(Protocol):
    def close(self) -> None: ...


Api = TypeVar("Api", bound=RestApi)


def check_api(
    settings: ConnectionSettings,
    open_api: Callable[[], Api],
    parts: Mapping[str, Callable[[Api], str]],
    state: StateFile[Any],
    advice: str,
) -> list[CheckStep]:
    """The way to an API, its parts by name, and where a pass is remembered, up to what fails first.

    A part is read, and says what was found; `advice` is for one that fails for no known reason.
    """
    steps = _check_way(settings)
    if not steps[-1].is_ok:
        return steps
    with closing(open_api()) as api:
        for name, read in parts.items():
            try:
                steps.append(CheckStep(name, True, read(api)))
            except HeadwaterError as error:
                known = error.next_step if isinstance(error, RestUnavailable) else ""
                return [*steps, CheckStep(name, False, error.message, known or advice)]
    problem = state.check()
    detail = problem or f"{state.folder} can be written"
    return [*steps, CheckStep("state", problem is None, detail, "choose a folder with --state")]


def _check_way(settings: ConnectionSettings) -> list[CheckStep]:
    """The name, the port and TLS of an API, up to the first that fails.

    By way of a proxy only that is reported: the proxy finds the way.
    """
    target = urlsplit(settings.url)
    host, port = target.hostname or "", target.port or _PORTS[target.scheme]
    if proxy := _find_proxy(target.scheme, host):
        return [CheckStep("proxy", True, f"by way of {proxy}, as the environment says")]
    return list(_try_way(settings, target.scheme, host, port))


def _try_way(
    settings: ConnectionSettings, scheme: str, host: str, port: int
) -> Iterator[CheckStep]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        advice = f"can this machine resolve '{host}', and is it the name in --url?"
        yield CheckStep("address", False, f"{host}: {error.strerror or error}", advice)
        return
    addresses = ", ".join(dict.fromkeys(str(each[4][0]) for each in found))
    yield CheckStep("address", True, f"{host} is {addresses}")
    seconds = parse_duration(settings.timeout).total_seconds()
    try:
        connection = socket.create_connection((host, port), seconds)
    except OSError as error:
        advice = "is it running, is the port of --url its own, is there a firewall between?"
        yield CheckStep("port", False, f"{host}:{port}: {error.strerror or error}", advice)
        return
    with connection:
        yield CheckStep("port", True, f"{port} is open")
        if scheme == "https":
            yield _try_tls(settings, connection, host)


def _try_tls(settings: ConnectionSettings, connection: socket.socket, host: str) -> CheckStep:
    try:
        context = open_tls(settings)
    except OSError as error:
        files = " or ".join(str(each) for each in (settings.ca, settings.certificate) if each)
        advice = "--ca and --certificate are files in PEM that can be read"
        return CheckStep("TLS", False, f"{files}: {error.strerror or error}", advice)
    try:
        with context.wrap_socket(connection, server_hostname=host) as secured:
            # A server says that it wants another certificate only with its first answer.
            return CheckStep("TLS", True, f"{secured.version()}, its certificate is trusted")
    except ssl.SSLCertVerificationError as error:
        advice = "is it for this name, and in date? --ca is a file with the CA that signed it"
        return CheckStep("TLS", False, error.verify_message or str(error), advice)
    except OSError as error:
        advice = "does it speak TLS at this port (else http://), and want a --certificate?"
        return CheckStep("TLS", False, str(error.strerror or error), advice)


def _find_proxy(scheme: str, host: str) -> str:
    """The proxy that the environment names for an address, without its password; empty for none."""
    proxy = getproxies().get(scheme) or getproxies().get("all") or ""
    if not proxy or is_loopback(host) or proxy_bypass(host):
        return ""
    return proxy.rpartition("@")[2].rpartition("//")[2].rstrip("/")
