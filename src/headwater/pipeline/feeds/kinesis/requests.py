"""Requests to Kinesis, of the four actions an ingest needs, with errors as one sentence each."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from headwater.errors import HeadwaterError, SourceUnavailable
from headwater.pipeline.feeds.kinesis.shards import Shard, parse_shards
from headwater.pipeline.feeds.kinesis.source import KinesisSource

ACTIONS = ("DescribeStream", "ListShards", "GetShardIterator", "GetRecords")
_DENIED = frozenset(("AccessDenied", "AccessDeniedException", "UnauthorizedOperation"))
_EXPIRED = frozenset(("ExpiredToken", "ExpiredTokenException", "RequestExpired"))
_UNKNOWN = frozenset(
    (
        "IncompleteSignatureException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    )
)
_ADVICE = {
    **dict.fromkeys(_EXPIRED, "the credentials have expired; renew them"),
    **dict.fromkeys(_UNKNOWN, "the credentials are not accepted; correct the keys"),
    "ResourceNotFoundException": "there is no such stream; are its name and region right?",
    "KMSAccessDeniedException": "the stream is encrypted; allow kms:Decrypt with its key",
    "KMSDisabledException": "the stream is encrypted, and its key is disabled",
}


class StreamState(NamedTuple):
    """A stream as it is now."""

    created: str
    """When it was created, in milliseconds: another of the same name has another time."""
    status: str
    retention_hours: int
    time: int
    """By Kinesis's own clock, in milliseconds."""


def describe_stream(client: Any, source: KinesisSource) -> StreamState:
    with asking(source, "DescribeStream"):
        answer = client.describe_stream(**source.identifier, Limit=1)
    found = answer["StreamDescription"]
    created: datetime = found["StreamCreationTimestamp"]
    return StreamState(
        str(round(created.timestamp() * 1000)),
        found["StreamStatus"],
        found["RetentionPeriodHours"],
        round(_time_of(answer).timestamp() * 1000),
    )


def list_shards(client: Any, source: KinesisSource) -> dict[str, Shard]:
    """All shards, page by page; a page after the first is requested by its token alone."""
    request: dict[str, Any] = dict(source.identifier)
    listed: list[dict[str, Any]] = []
    while True:
        with asking(source, "ListShards"):
            answer = client.list_shards(**request)
        listed += answer["Shards"]
        if not (token := answer.get("NextToken")):
            return parse_shards(listed)
        request = {"NextToken": token, **source.owner}


@contextmanager
def asking(source: KinesisSource, action: str) -> Iterator[None]:
    """Errors of the client become one sentence that names the action."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise explain(source, action, error) from error


def explain(source: KinesisSource, action: str, error: Exception) -> HeadwaterError:
    """What a failure means, and what to do about it."""
    answer = getattr(error, "response", None)
    if answer is None:
        return SourceUnavailable(source.place, f"{action}: {error}")
    code, text = code_of(error), str(answer["Error"].get("Message", "")).partition("\n")[0]
    if code in _DENIED:
        what = f"access denied: allow kinesis:{action} on the stream to these credentials"
    else:
        what = f"{action}: {_ADVICE.get(code, code)}"
    return SourceUnavailable(source.place, f"{what} ({text})" if text else what)


def code_of(error: Exception) -> str:
    """The code of a refusal; empty where there was no answer."""
    answer = getattr(error, "response", None) or {}
    return str(answer.get("Error", {}).get("Code", ""))


def _time_of(answer: Mapping[str, Any]) -> datetime:
    """When it was answered, by the clock of whoever did."""
    date = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    return parsedate_to_datetime(date) if date else datetime.now(UTC)
