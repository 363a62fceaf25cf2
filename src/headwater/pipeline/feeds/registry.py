"""The kinds of feeds: what opens, checks and needs each, by the type that its source states.

A feed of another system is a folder or some modules beside this one, and an entry here.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from headwater.pipeline.check_steps import OpenSession, Step
from headwater.pipeline.feeds.feed import Feed

if TYPE_CHECKING:
    from headwater.pipeline.feeds.files import FilesPlace
    from headwater.pipeline.feeds.kafka import KafkaSource
    from headwater.pipeline.feeds.kinesis.source import KinesisSource


class Source(Protocol):
    """What to read, as its options describe it."""

    @property
    def type(self) -> str:
        """The entry of the registry that it belongs to."""


class FeedType(NamedTuple):
    """What a kind of feed consists of."""

    open: Callable[[Any, str], Feed]
    """The feed of a source, for the ingest of a name."""
    check: Callable[[Any, str, OpenSession], Iterator[Step]]
    """Tries each step up to an event; the first that fails is the last."""
    packages: tuple[str, ...] = ()
    """What Spark needs for it."""


def find_feed_type(source: Source) -> FeedType:
    """The kind that a source belongs to; loaded only now, with the libraries that it needs."""
    return FEED_TYPES[source.type]()


def _kafka() -> FeedType:
    from headwater.pipeline.feeds.kafka_check import check_kafka
    from headwater.pipeline.feeds.kafka_feed import KafkaFeed
    from headwater.pipeline.spark.packages import KAFKA

    def open_feed(source: "KafkaSource", name: str) -> Feed:
        return KafkaFeed(source, source.group_of(name))

    return FeedType(open_feed, check_kafka, (KAFKA,))


def _files() -> FeedType:
    from headwater.pipeline.feeds.files_check import check_files
    from headwater.pipeline.feeds.files_feed import FilesFeed

    def open_feed(source: "FilesPlace", name: str) -> Feed:
        return FilesFeed(source.place)

    return FeedType(open_feed, check_files)


def _kinesis() -> FeedType:
    from headwater.pipeline.feeds.kinesis.check import check_kinesis
    from headwater.pipeline.feeds.kinesis.feed import KinesisFeed

    def open_feed(source: "KinesisSource", name: str) -> Feed:
        return KinesisFeed(source)

    return FeedType(open_feed, check_kinesis)


FEED_TYPES: dict[str, Callable[[], FeedType]] = {
    "kafka": _kafka,
    "files": _files,
    "kinesis": _kinesis,
}
