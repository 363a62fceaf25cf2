"""Several events in one request, as OpenLineage's batch endpoint takes them, and its answer."""

from collections.abc import Sequence

import msgspec


class BatchFailure(msgspec.Struct):
    """Why an event of a batch was not stored; a `retriable` one is to be sent again."""

    index: int
    reason: str = "no reason given"
    retriable: bool = False


class _BatchAnswer(msgspec.Struct):
    failed_events: list[BatchFailure]


def batch_body(events: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(events) + b"]"


def read_batch_answer(status: int, content: bytes, count: int) -> list[BatchFailure | None] | None:
    """For each of so many events None, or how it failed; None where all did, as a whole."""
    failures: list[BatchFailure | None] = [None] * count
    if status == 204:
        return failures
    if not 200 <= status < 300 and status != 422:
        return None
    try:
        found = msgspec.json.decode(content, type=_BatchAnswer)
    except msgspec.MsgspecError:
        return None
    for failure in found.failed_events:
        if 0 <= failure.index < count:
            failures[failure.index] = failure
    return failures
