"""Where events come from, as an ingest sees it: a stream from where the store is.

The store has the position of each source, which is moved once the facts are stored. A feed
begins there, whatever happened before: a store put back from a backup, a process that was killed,
another version. To take in twice changes nothing, so this needs no other bookkeeping.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from headwater.pipeline.message import Message, Reached
from headwater.store.positions import SourcePosition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# By partition: how far it is, and which source of that name it is.
Moves = dict[str, tuple[int, str]]
Positions = Mapping[str, SourcePosition]
# Who sees the end of what there is at one moment: Spark by its trigger, Spark once the source has
# nothing more, or the feed by what its tasks reached.
Ending = Literal["trigger", "idle", "reached"]


class Feed(Protocol):
    """A source of events that goes on."""

    place: str
    """Where it is, for people."""
    ends_by: Ending
    is_in_python: bool = False
    """Whether Spark runs its source in a Python of its own, which has ten seconds to start."""

    @property
    def read(self) -> Callable[[Any], Iterator[Message]]:
        """The way of a batch of Spark's into a task."""

    @property
    def reached(self) -> Callable[[], dict[str, Reached]]:
        """How a task learns how far `read` came, where a batch does not say that before."""
        return dict

    def open(self, spark: "SparkSession", positions: Positions, *, is_once: bool) -> "DataFrame":
        """The stream from where the store is."""

    def batch(self, frame: "DataFrame") -> "DataFrame":
        """What a task gets of a batch of Spark's."""
        return frame

    def stored(self, reached: Mapping[str, Reached]) -> Moves:
        """A batch is stored; how far that is, of what only its tasks could report."""
        return {}

    def is_through(self) -> bool:
        """Whether all there was is stored, if the feed is to see that itself."""
        return False

    def check(self) -> None:
        """Before a batch: raises SourceChanged if the stream must start again."""

    def began(self) -> Moves:
        """Where the stream begins, of what the store did not know."""

    def moved(self, end: str | None) -> Moves:
        """How far a batch came, of what has moved; `end` is Spark's word for it."""

    def commit(self, end: str | None) -> None:
        """Report the position to others, if configured."""

    def lag(self, progress: Mapping[str, Any]) -> int | None:
        """Messages that are still to come, if that is known."""

    def waiting(self) -> int | None:
        """Messages that there are to read as the stream begins, if that is known."""

    def datasets(self) -> Sequence[tuple[str, str]]:
        """What is read, by namespace and name, as OpenLineage calls them."""

    def close(self) -> None: ...
