"""What of Kinesis to read: a stream, how to reach it, and where to begin."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from headwater.access import KinesisAccess


@dataclass(frozen=True)
class KinesisSource:
    """A stream of an account, read by the access that `aws` names."""

    type: ClassVar[str] = "kinesis"

    stream: str
    """Its name, or its ARN where another account has it."""
    aws: KinesisAccess = KinesisAccess()
    start: Literal["TRIM_HORIZON", "LATEST"] | int = "TRIM_HORIZON"
    """Where to begin what was never read: or by the records' arrival, in milliseconds."""
    max_events: int = 50_000
    """Records in one batch, at most, of all shards together."""

    @property
    def name(self) -> str:
        """The stream's name, as positions and places of events have it."""
        return self.stream.rpartition("stream/")[2]

    @property
    def place(self) -> str:
        return f"kinesis {self.name}"

    @property
    def identifier(self) -> dict[str, str]:
        """The stream as requests name it."""
        return {"StreamARN" if self.stream.startswith("arn:") else "StreamName": self.stream}

    @property
    def owner(self) -> dict[str, str]:
        """The stream's ARN, if that is known: requests to another account need it."""
        return self.identifier if self.stream.startswith("arn:") else {}
