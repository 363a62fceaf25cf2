"""What `headwater doctor --server` looks at: a running server, seen from here."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from headwater import __version__
from headwater.cli.api.client import Client, json_of, message_of
from headwater.errors import HeadwaterError

_CLOCKS_APART_SECONDS = 30
_MOST_NAMES = 5
_ALLOWED = {
    401: "put an API key into HEADWATER_API_KEY",
    403: "use a key with the scope read",
}


class Finding(NamedTuple):
    check: str
    state: str
    found: str
    what_to_do: str = ""


def examine_server(url: str) -> Iterator[Finding]:
    """Check that a server answers, is ready, lets this key read, and agrees on version and time."""
    try:
        with Client(url) as client:
            answer = client.send("GET", "/healthz")
            yield Finding("server", "ok", f"{client.url} answers")
            yield from (check(client, answer) for check in _CHECKS)
    except HeadwaterError as error:
        yield Finding("server", "problem", error.message, "start it, or correct --server")


def _examine_readiness(client: Client, _: Any) -> Finding:
    # Whether the store is away is the question: it is not waited for.
    answer = client.send_once("GET", "/readyz")
    if answer.status_code == 200:
        return Finding("ready", "ok", "the server's store answers")
    return Finding("ready", "problem", message_of(answer), "run headwater doctor beside the server")


def _examine_key(client: Client, _: Any) -> Finding:
    answer = client.send("GET", "/api/v1/namespaces", params={"limit": 1})
    if answer.status_code == 200:
        return Finding("key", "ok", "may read")
    advice = _ALLOWED.get(answer.status_code, "is this the address of a Headwater server?")
    return Finding("key", "problem", f"{answer.status_code} {message_of(answer)}", advice)


def _examine_version(client: Client, _: Any) -> Finding:
    document = json_of(client.send("GET", "/openapi.json"))
    version = document.get("info", {}).get("version") if isinstance(document, dict) else None
    if version == __version__:
        return Finding("version", "ok", f"headwater {version}, as here")
    found = f"headwater {version or 'unknown'}, {__version__} here"
    return Finding("version", "warning", found, "install the same version here")


def _examine_clock(_: Client, answer: Any) -> Finding:
    here = datetime.now(UTC)
    try:
        there = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        return Finding("clock", "ok", "the server does not send its time")
    apart = abs((there - here).total_seconds())
    if apart > _CLOCKS_APART_SECONDS:
        return Finding("clock", "warning", f"{apart:,.0f} seconds apart", "set both clocks by NTP")
    return Finding("clock", "ok", f"{there:%Y-%m-%d %H:%M:%S} UTC")


def _examine_lineage(client: Client, _: Any) -> Finding:
    answer = client.send("GET", "/api/v1/gaps", params={"limit": _MOST_NAMES})
    found = json_of(answer) if answer.status_code == 200 else None
    if not isinstance(found, dict):
        return Finding("lineage", "ok", f"not examined: {answer.status_code}")
    names = [(str(each["name"]), int(each["jobs"])) for each in found["names"]]
    return describe_lineage(int(found["totalCount"]), names)


def describe_lineage(jobs: int, names: Sequence[tuple[str, int]]) -> Finding:
    """Say how many jobs have gaps, and what was not recognised most often."""
    if not jobs:
        return Finding("lineage", "ok", "no job has gaps")
    listed = ", ".join(f"{name} ({count:,})" for name, count in names[:_MOST_NAMES])
    more = f", {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    noun = "job has" if jobs == 1 else "jobs have"
    return Finding(
        "lineage",
        "warning",
        f"{jobs:,} {noun} gaps; not recognised, by jobs: {listed}{more}",
        "see the jobs under /api/v1/gaps; a newer producer may recognise more",
    )


_CHECKS = (
    _examine_readiness,
    _examine_key,
    _examine_version,
    _examine_clock,
    _examine_lineage,
)
