"""Reports to a webhook, as Slack and those that speak like it read them: `{"text": ...}`."""

from collections.abc import Iterable, Sequence
from typing import Any

import httpx2
import msgspec

from headwater.errors import TargetUnavailable

Shape = dict[str, Any]

_TIMEOUT = httpx2.Timeout(10.0, connect=5.0)
_MOST_LINES = 30
_LONGEST_LINE = 300
_MAX_REASON = 200
_JSON = {"Content-Type": "application/json"}


def finding_keys(findings: Iterable[Shape]) -> dict[str, Shape]:
    """Findings by what makes each another one: its node, its kind and since when."""
    return {"|".join((each["kind"], each["since"], each["id"])): each for each in findings}


def report_text(findings: Sequence[Shape], total: int) -> str:
    """What was found, for people: a line each, and how many more there are."""
    noun = "finding" if total == 1 else "findings"
    lines = [f"Headwater: {total:,} {noun} in Kafka"]
    for each in findings[:_MOST_LINES]:
        line = f"{each['kind']}: {each['name']} ({each['cluster']}). {each['reason']}"
        lines.append(f"• {_escaped(line[:_LONGEST_LINE])}")
    if total > len(findings[:_MOST_LINES]):
        lines.append(f"and {total - len(findings[:_MOST_LINES]):,} more: `headwater discover`")
    return "\n".join(lines)


def post_report(url: str, text: str, transport: httpx2.BaseTransport | None = None) -> None:
    """Post a report; raises TargetUnavailable, without the path of the URL, which is a secret."""
    try:
        address = httpx2.URL(url)
    except httpx2.InvalidURL:
        address = httpx2.URL()
    if address.scheme not in ("http", "https") or not address.host:
        raise TargetUnavailable("the webhook", "its secret is no URL; it begins with https://")
    where = f"the webhook at {address.host}"
    try:
        with httpx2.Client(timeout=_TIMEOUT, transport=transport) as client:
            body = msgspec.json.encode({"text": text})
            answer = client.post(
                address, content=body, headers={"Content-Type": "application/json"}
            )
    except httpx2.TimeoutException:
        raise TargetUnavailable(where, "it did not answer within 10 s") from None
    except httpx2.HTTPError as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise TargetUnavailable(where, reason[:_MAX_REASON]) from None
    if not answer.is_success:
        reason = answer.text.partition("\n")[0][:_MAX_REASON].replace(url, "")
        raise TargetUnavailable(where, f"it answered {answer.status_code} {reason}".rstrip())


def _escaped(text: str) -> str:
    """The three characters that have a meaning in Slack's texts."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
