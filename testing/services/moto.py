"""A throw-away AWS, as moto plays it: S3 for sinks that write there, Kinesis to ingest from."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self
from uuid import uuid4
from xml.etree import ElementTree

import boto3
import httpx2
from botocore.config import Config

from testing.services.process import Process, StartFailed, free_port

REGION = "eu-central-1"
# What one request of PutRecords may hold.
_MOST_RECORDS = 500
_MOST_BYTES = 4_000_000
LOCK = Path(__file__).with_name("connect-moto") / "requirements.lock"


class Moto(Process):
    """One server on a port of the loopback address; takes any key."""

    name = "moto"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    @classmethod
    def start(cls) -> Self:
        service = cls()
        try:
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    def create_bucket(self, name: str) -> None:
        httpx2.put(f"{self.url}/{name}", timeout=30, trust_env=False).raise_for_status()

    def keys(self, bucket: str) -> list[str]:
        """The keys of all objects in a bucket."""
        answer = httpx2.get(f"{self.url}/{bucket}?list-type=2", timeout=30, trust_env=False)
        found = ElementTree.fromstring(answer.raise_for_status().content)
        return [key.text or "" for key in found.iter() if key.tag.endswith("}Key")]

    def kinesis(self) -> Any:
        """A client of its Kinesis."""
        return boto3.client(
            "kinesis",
            region_name=REGION,
            endpoint_url=self.url,
            aws_access_key_id="any",
            aws_secret_access_key="any",
            config=Config(proxies={}),
        )

    def identity(self, key: str, secret: str, token: str) -> str:
        """Who somebody is, by its STS: the ARN of a user or of a role's session."""
        client: Any = boto3.client(
            "sts",
            region_name=REGION,
            endpoint_url=self.url,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=Config(proxies={}),
        )
        return str(client.get_caller_identity()["Arn"])

    def create_stream(self, name: str, shards: int) -> None:
        self.kinesis().create_stream(StreamName=name, ShardCount=shards)

    def put_records(self, stream: str, records: Iterable[bytes]) -> None:
        """Write records, spread over all shards, as few requests as their sizes allow."""
        client = self.kinesis()
        for some in _in_requests(records):
            entries = [{"Data": data, "PartitionKey": uuid4().hex} for data in some]
            answer = client.put_records(StreamName=stream, Records=entries)
            assert answer["FailedRecordCount"] == 0

    def command(self) -> Sequence[str]:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
        python = Path(home) / "headwater" / f"{LOCK.parent.name}-{digest}" / "bin" / "python"
        if not python.exists():
            raise StartFailed("moto is missing; run scripts/install-services")
        return [str(python), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]

    def is_ready(self) -> bool:
        try:
            return httpx2.get(self.url, timeout=5, trust_env=False).status_code == 200
        except httpx2.TransportError:
            return False


def _in_requests(records: Iterable[bytes]) -> Iterator[list[bytes]]:
    some: list[bytes] = []
    size = 0
    for record in records:
        if some and (len(some) == _MOST_RECORDS or size + len(record) > _MOST_BYTES):
            yield some
            some, size = [], 0
        some.append(record)
        size += len(record)
    if some:
        yield some
