"""A stand-in for Kinesis that is strict: what an ingest may ask, as the API's reference has it.

Unlike emulators it ends the shards that are split or merged, lets iterators expire, throttles,
pages, checks signatures, and knows which key may call which action.
"""

import base64
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from testing.stand_ins.listening import listen

REGION = "eu-central-1"
TARGET = "Kinesis_20131202."
# As large as Kinesis's own.
FIRST_SEQUENCE = 49_590_338_271_490_256_608_559_692_538_361_571_095_921_575_989_136_588_898
_PAGE = 2
_MOST_BYTES = 10_000_000
_FIELDS = {
    "DescribeStream": {"StreamName", "StreamARN", "Limit", "ExclusiveStartShardId"},
    "ListShards": {"StreamName", "StreamARN", "NextToken", "MaxResults"},
    "GetShardIterator": {
        *("StreamName", "StreamARN", "ShardId", "ShardIteratorType"),
        *("StartingSequenceNumber", "Timestamp"),
    },
    "GetRecords": {"ShardIterator", "Limit", "StreamARN"},
}


class KinesisError(Exception):
    """A refusal, by its code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class StoredRecord(NamedTuple):
    sequence: int
    arrived: float
    data: bytes


@dataclass
class StoredShard:
    id: str
    parents: tuple[str, ...] = ()
    records: list[StoredRecord] = field(default_factory=list)
    children: tuple[str, ...] = ()
    is_closed: bool = False


@dataclass
class StoredStream:
    name: str
    created: float
    shards: dict[str, StoredShard] = field(default_factory=dict)
    status: str = "ACTIVE"


@dataclass
class AccessKey:
    """Who may call what; `has_expired` as temporary keys do."""

    secret: str
    actions: frozenset[str] = frozenset(_FIELDS)
    has_expired: bool = False


class KinesisStandIn:
    """Streams of one account in one region; tests write to it directly, an ingest reads by HTTP."""

    def __init__(self) -> None:
        self.url = ""
        self.keys = {"id": AccessKey("secret")}
        self.streams: dict[str, StoredStream] = {}
        self.calls: list[str] = []
        self.faults: dict[str, list[str]] = {}
        """Codes by action, each answered once."""
        self.empty_answers = 0
        """So many reads answer nothing, though there are records."""
        self._iterators: dict[str, tuple[str, str, int]] = {}
        self._lock = threading.RLock()
        self._sequence = FIRST_SEQUENCE

    def create_stream(self, name: str, shards: int) -> None:
        stream = StoredStream(name, time.time())
        self.streams[name] = stream
        for _ in range(shards):
            self._add_shard(stream)

    def put(self, name: str, events: Sequence[bytes]) -> None:
        """Add records, in turns, to the shards that are open."""
        with self._lock:
            opened = [each for each in self.streams[name].shards.values() if not each.is_closed]
            for number, data in enumerate(events):
                self._sequence += 1
                record = StoredRecord(self._sequence, time.time(), data)
                opened[number % len(opened)].records.append(record)

    def split(self, name: str, shard: str) -> None:
        with self._lock:
            self._replace(self.streams[name], [shard], 2)

    def merge(self, name: str, first: str, second: str) -> None:
        with self._lock:
            self._replace(self.streams[name], [first, second], 1)

    def expire_iterators(self) -> None:
        with self._lock:
            self._iterators.clear()

    def _add_shard(self, stream: StoredStream, *parents: str) -> str:
        shard = StoredShard(f"shardId-{len(stream.shards):012}", parents)
        stream.shards[shard.id] = shard
        return shard.id

    def _replace(self, stream: StoredStream, parents: list[str], count: int) -> None:
        children = tuple(self._add_shard(stream, *parents) for _ in range(count))
        for parent in parents:
            stream.shards[parent].children = children
            stream.shards[parent].is_closed = True

    def answer(self, action: str, body: dict[str, Any], key: AccessKey) -> dict[str, Any]:
        with self._lock:
            self.calls.append(action)
            _check_call(action, body, key)
            if codes := self.faults.get(action):
                raise KinesisError(codes.pop(0), "a fault of the test")
            methods = {
                "DescribeStream": self._describe,
                "ListShards": self._list,
                "GetShardIterator": self._open,
                "GetRecords": self._read,
            }
            return methods[action](body)

    def _find(self, body: dict[str, Any]) -> StoredStream:
        name = body.get("StreamName") or body["StreamARN"].rpartition("stream/")[2]
        if name not in self.streams:
            message = f"Stream {name} under account 123456789012 not found."
            raise KinesisError("ResourceNotFoundException", message)
        return self.streams[name]

    def _describe(self, body: dict[str, Any]) -> dict[str, Any]:
        stream = self._find(body)
        shards = list(stream.shards.values())[: body.get("Limit", 100)]
        found = {
            "StreamName": stream.name,
            "StreamARN": f"arn:aws:kinesis:{REGION}:123456789012:stream/{stream.name}",
            "StreamStatus": stream.status,
            "StreamCreationTimestamp": stream.created,
            "RetentionPeriodHours": 24,
            "HasMoreShards": len(shards) < len(stream.shards),
            "EnhancedMonitoring": [],
            "Shards": [_to_json(shard) for shard in shards],
        }
        return {"StreamDescription": found}

    def _list(self, body: dict[str, Any]) -> dict[str, Any]:
        if "NextToken" in body and "StreamName" in body:
            raise KinesisError("InvalidArgumentException", "NextToken and StreamName cannot both")
        name, _, start = str(body.get("NextToken", "")).partition("@")
        stream = self.streams[name] if name else self._find(body)
        first = int(start or 0)
        shards = list(stream.shards.values())
        answer: dict[str, Any] = {"Shards": [_to_json(each) for each in shards[first:][:_PAGE]]}
        if first + _PAGE < len(shards):
            answer["NextToken"] = f"{stream.name}@{first + _PAGE}"
        return answer

    def _open(self, body: dict[str, Any]) -> dict[str, Any]:
        stream = self._find(body)
        shard = stream.shards.get(body["ShardId"])
        if shard is None:
            raise KinesisError("ResourceNotFoundException", f"Shard {body['ShardId']} not found")
        return {"ShardIterator": self._issue(stream.name, shard.id, _start(shard, body))}

    def _issue(self, stream: str, shard: str, start: int) -> str:
        token = f"iterator-{len(self._iterators)}-{time.monotonic_ns()}"
        self._iterators[token] = (stream, shard, start)
        return token

    def _read(self, body: dict[str, Any]) -> dict[str, Any]:
        if not 1 <= body.get("Limit", 10_000) <= 10_000:
            raise KinesisError("InvalidArgumentException", "Limit is not from 1 to 10000")
        if body["ShardIterator"] not in self._iterators:
            raise KinesisError("ExpiredIteratorException", "Iterator expired.")
        name, shard_id, start = self._iterators[body["ShardIterator"]]
        shard = self.streams[name].shards[shard_id]
        records = _cut(shard.records[start : start + body.get("Limit", 10_000)])
        if self.empty_answers:
            self.empty_answers -= 1
            records = []
        end = start + len(records)
        rest = shard.records[end:]
        answer: dict[str, Any] = {
            "Records": [_record_json(record) for record in records],
            "MillisBehindLatest": int((time.time() - rest[0].arrived) * 1000) + 1 if rest else 0,
        }
        if shard.is_closed and not rest:
            answer["ChildShards"] = [_child_json(shard, child) for child in shard.children]
        else:
            answer["NextShardIterator"] = self._issue(name, shard_id, end)
        return answer


def _check_call(action: str, body: dict[str, Any], key: AccessKey) -> None:
    if action not in _FIELDS:
        raise KinesisError("UnknownOperationException", action)
    if unknown := body.keys() - _FIELDS[action]:
        raise KinesisError("SerializationException", f"unknown fields {sorted(unknown)}")
    if key.has_expired:
        message = "The security token included in the request is expired"
        raise KinesisError("ExpiredTokenException", message)
    if action not in key.actions:
        message = f"User: test is not authorized to perform: kinesis:{action}"
        raise KinesisError("AccessDeniedException", message)


def _start(shard: StoredShard, body: dict[str, Any]) -> int:
    """The index of the first record that an iterator gives."""
    records = shard.records
    match body["ShardIteratorType"]:
        case "TRIM_HORIZON":
            return 0
        case "LATEST":
            return len(records)
        case "AT_TIMESTAMP" if body["Timestamp"] > time.time() + 1:
            raise KinesisError("InvalidArgumentException", "Timestamp is in the future")
        case "AT_TIMESTAMP":
            return sum(record.arrived < body["Timestamp"] for record in records)
        case "AFTER_SEQUENCE_NUMBER":
            sequences = [record.sequence for record in records]
            wanted = int(body["StartingSequenceNumber"])
            if wanted not in sequences:
                raise KinesisError("InvalidArgumentException", "not a number of this shard")
            return sequences.index(wanted) + 1
    raise KinesisError("InvalidArgumentException", "unknown ShardIteratorType")


def _cut(records: list[StoredRecord]) -> list[StoredRecord]:
    """As many as one answer may hold."""
    size = 0
    for number, record in enumerate(records):
        size += len(record.data)
        if size > _MOST_BYTES and number:
            return records[:number]
    return records


def _to_json(shard: StoredShard) -> dict[str, Any]:
    numbers = {"StartingSequenceNumber": str(FIRST_SEQUENCE)}
    if shard.is_closed:
        # One that no record has, as Kinesis's own.
        numbers["EndingSequenceNumber"] = str(FIRST_SEQUENCE + 10**9)
    parents = zip(("ParentShardId", "AdjacentParentShardId"), shard.parents, strict=False)
    keys = {"StartingHashKey": "0", "EndingHashKey": str(2**128 - 1)}
    own = {"ShardId": shard.id, "HashKeyRange": keys, "SequenceNumberRange": numbers}
    return {**own, **dict(parents)}


def _child_json(shard: StoredShard, child: str) -> dict[str, Any]:
    keys = {"StartingHashKey": "0", "EndingHashKey": str(2**128 - 1)}
    return {"ShardId": child, "ParentShards": [shard.id], "HashKeyRange": keys}


def _record_json(record: StoredRecord) -> dict[str, Any]:
    return {
        "SequenceNumber": str(record.sequence),
        "ApproximateArrivalTimestamp": record.arrived,
        "Data": base64.b64encode(record.data).decode(),
        "PartitionKey": "any",
    }


@contextmanager
def serve_kinesis() -> Iterator[KinesisStandIn]:
    """Serve a stand-in on a free port of the loopback address."""
    stand_in = KinesisStandIn()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                status, answer = 200, self._answer(body)
            except KinesisError as error:
                status, answer = 400, {"__type": error.code, "message": str(error)}
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _answer(self, body: bytes) -> dict[str, Any]:
            key = self._check_signature(body)
            target = self.headers.get("X-Amz-Target", "")
            if not target.startswith(TARGET):
                raise KinesisError("UnknownOperationException", target)
            return stand_in.answer(target.removeprefix(TARGET), json.loads(body), key)

        def _check_signature(self, body: bytes) -> AccessKey:
            """Who signed a request; refused unless all that is signed is as it was."""
            given = self.headers.get("Authorization", "")
            parts = dict(part.strip().split("=", 1) for part in given.partition(" ")[2].split(","))
            key_id, _, scope = parts.get("Credential", "").partition("/")
            if key_id not in stand_in.keys:
                message = "The security token included in the request is invalid."
                raise KinesisError("UnrecognizedClientException", message)
            key = stand_in.keys[key_id]
            request = AWSRequest("POST", stand_in.url + self.path, data=body)
            for name in parts["SignedHeaders"].split(";"):
                request.headers[name] = self.headers[name]
            request.context["timestamp"] = self.headers["X-Amz-Date"]
            auth = SigV4Auth(Credentials(key_id, key.secret), "kinesis", scope.split("/")[1])
            text = auth.string_to_sign(request, auth.canonical_request(request))
            if auth.signature(text, request) != parts["Signature"]:
                message = "The request signature we calculated does not match."
                raise KinesisError("InvalidSignatureException", message)
            return key

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with listen(Handler, partial(setattr, stand_in, "url")):
        yield stand_in
