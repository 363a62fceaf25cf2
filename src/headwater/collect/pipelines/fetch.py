"""Reads a list of pipelines, from a file or a URL; pages of an API are followed."""

from pathlib import Path
from typing import Any

import httpx2
import yaml

from headwater.collect.pipelines.settings import PipelinesSettings
from headwater.config import resolve_secret
from headwater.durations import parse_duration
from headwater.errors import SourceUnavailable

_MOST_BYTES = 20_000_000
_DEEPEST = 50
_OPENING = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSING = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_MOST_PAGES = 1_000


def read_list(settings: PipelinesSettings, transport: httpx2.BaseTransport | None = None) -> Any:
    """What the place holds; raises SourceUnavailable where it cannot be read."""
    if settings.is_url:
        return _read_pages(settings, transport)
    file = Path(settings.place)
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise SourceUnavailable(settings.place, f"it has more than {_MOST_BYTES:,} bytes")
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise SourceUnavailable(settings.place, f"cannot be read: {reason}") from None
    return _parse(settings.place, text)


def _parse(place: str, text: str) -> Any:
    """JSON is YAML as well."""
    try:
        _check_tokens(place, text)
        return yaml.load(text, yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f"line {mark.line + 1}: " if mark is not None else ""
        raise SourceUnavailable(place, f"{line}{error.problem or 'no JSON or YAML'}") from None
    except (yaml.YAMLError, ValueError):
        raise SourceUnavailable(place, "it is neither JSON nor YAML") from None


def _check_tokens(place: str, text: str) -> None:
    """Refuse what would unfold or nest without end, before it is made into values."""
    depth = 0
    for token in yaml.scan(text, yaml.CSafeLoader):
        if isinstance(token, yaml.AliasToken):
            raise SourceUnavailable(place, "it has aliases (*NAME), which are not read")
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > _DEEPEST:
            line = token.start_mark.line + 1
            raise SourceUnavailable(place, f"line {line}: it nests deeper than {_DEEPEST} levels")


def _read_pages(settings: PipelinesSettings, transport: httpx2.BaseTransport | None) -> Any:
    """The answer of an API; where it has `total` and `page`, all pages as one."""
    headers = {"Accept": "application/json"}
    if settings.token:
        headers["Authorization"] = f"Bearer {resolve_secret(settings.token).get_secret_value()}"
    seconds = parse_duration(settings.timeout).total_seconds()
    with httpx2.Client(headers=headers, timeout=seconds, transport=transport) as client:
        found = _get(client, settings.place, 1)
        if not isinstance(found, dict) or not isinstance(found.get("result"), list):
            return found
        result, page = list(found["result"]), 1
        while len(result) < _total(found) and page < _MOST_PAGES:
            page += 1
            more = _get(client, settings.place, page)
            some = more.get("result") if isinstance(more, dict) else None
            if not isinstance(some, list) or not some:
                reason = f"page {page} is empty, and {len(result)} of {_total(found)} were read"
                raise SourceUnavailable(settings.place, reason)
            result += some
        return {**found, "result": result}


def _total(found: dict[str, Any]) -> int:
    total = found.get("total")
    return total if isinstance(total, int) else 0


def _get(client: httpx2.Client, url: str, page: int) -> Any:
    try:
        answer = client.get(url, params={"page": page} if page > 1 else None)
    except httpx2.HTTPError as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise SourceUnavailable(url, f"no answer: {reason}") from None
    if answer.status_code in (401, 403):
        raise SourceUnavailable(url, f"answered {answer.status_code}: give --token, or correct it")
    if not answer.is_success:
        raise SourceUnavailable(url, f"answered {answer.status_code}")
    try:
        return answer.json()
    except (ValueError, RecursionError):
        raise SourceUnavailable(url, "answered something that is not JSON") from None
