"""Compressed responses on request: the JSON of a graph shrinks to a tenth.

A response never mixes secrets, such as cookies or keys, with what its reader sent: its size reveals
nothing that is secret.
"""

import gzip
from functools import partial

from fastapi.concurrency import run_in_threadpool

from headwater.server.http.body import Message, Scope, Send, header

# The quickest: what is saved by the others is not worth their time.
_LEVEL = 1
# Less than this is one packet either way.
_LEAST_BYTES = 1_000
_SHRINKING = (b"application/json", b"application/xml", b"text/")


def accepts_gzip(accepted: str) -> bool:
    """Whether Accept-Encoding names gzip, and not only to refuse it."""
    for part in accepted.lower().replace(" ", "").split(","):
        name, _, weight = part.partition(";")
        if name == "gzip":
            return weight.rstrip("0.") != "q="
    return False


def with_gzip(scope: Scope, send: Send) -> Send:
    """Compress whole answers for who accepts it; those in parts are sent as they come."""
    is_accepted = accepts_gzip(header(scope, b"accept-encoding"))
    begun: list[Message] = []

    async def compressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            if _may_vary(message):
                message["headers"] = [*message["headers"], (b"vary", b"Accept-Encoding")]
                if is_accepted:
                    begun.append(message)
                    return
        elif begun:
            start = begun.pop()
            if len(message.get("body", b"")) >= _LEAST_BYTES and not message.get("more_body"):
                start, message = await _compress(start, message)
            await send(start)
        await send(message)

    return compressed


def _may_vary(start: Message) -> bool:
    """Whether the way an answer is sent depends on what is accepted; files of the UI say it."""
    headers: dict[bytes, bytes] = dict(start.get("headers", ()))
    if b"vary" in headers:
        return False
    # What a reader has already is left out, and would be either.
    is_known: bool = start["status"] == 304
    return is_known or headers.get(b"content-type", b"").startswith(_SHRINKING)


async def _compress(start: Message, message: Message) -> tuple[Message, Message]:
    # Beside the loop, which takes in events meanwhile.
    body = await run_in_threadpool(partial(gzip.compress, message["body"], _LEVEL, mtime=0))
    headers = [field for field in start["headers"] if field[0] != b"content-length"]
    headers += [(b"content-encoding", b"gzip"), (b"content-length", b"%d" % len(body))]
    return {**start, "headers": headers}, {**message, "body": body}
