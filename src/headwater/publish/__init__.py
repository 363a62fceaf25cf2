"""Publishers: each brings what Headwater knows to another catalog or backend.

One folder a catalog. docs/adding-a-system.md walks through one.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from headwater.config import Section
from headwater.plugins import CheckStep, Entry, Registry

if TYPE_CHECKING:
    # Commands that use no store do not load what it needs.
    from headwater.store.engine import Engine

PUBLISHERS = Registry(
    kind="publisher",
    group="headwater.publishers",
    own={
        "openlineage": Entry(
            "headwater.publish.openlineage:OpenLineagePublisher",
            "Relay every event, as received, to another OpenLineage backend, Kafka or a file.",
        ),
        "openlineage-graph": Entry(
            "headwater.publish.openlineage.graph:OpenLineageGraphPublisher",
            "The graph as it holds now, as OpenLineage events, to a backend, Kafka or a file.",
        ),
        "unity-catalog": Entry(
            "headwater.publish.unity_catalog:UnityCatalogPublisher",
            "External lineage, properties and comments for Databricks' Unity Catalog.",
            "databricks",
        ),
        "glue": Entry(
            "headwater.publish.glue:GluePublisher",
            "A summary of lineage in the parameters and descriptions of AWS Glue's tables.",
            "aws",
        ),
        "datazone": Entry(
            "headwater.publish.datazone:DataZonePublisher",
            "The lineage of jobs as OpenLineage events for Amazon DataZone.",
            "aws",
        ),
        "google-lineage": Entry(
            "headwater.publish.google_lineage:GooglePublisher",
            "The lineage of jobs as OpenLineage events for Google's Data Lineage API.",
        ),
        "datahub": Entry(
            "headwater.publish.datahub:DataHubPublisher",
            "Lineage by column, and data jobs, to DataHub by its own API.",
        ),
        "openmetadata": Entry(
            "headwater.publish.openmetadata:OpenMetadataPublisher",
            "Lineage by column between what OpenMetadata has, by its own API.",
        ),
    },
    reserved=("status", "refused", "again", "remove"),
)


class PlannedChange(NamedTuple):
    """What would be done at the target: an action, on what, and how often.

    `details` are lines of a diff: what it is to hold, or what changes of it.
    """

    action: str
    what: str
    times: int = 1
    details: tuple[str, ...] = ()


class Published(NamedTuple):
    """What one step has done, for good; `waiting` is how much is left, if known.

    Of what was sent to a catalog, some was `created`, `updated` or `removed`.
    """

    sent: int = 0
    refused: int = 0
    skipped: int = 0
    """Not for this target."""
    waiting: int | None = None
    created: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    problems: tuple[str, ...] = ()
    """Why items were refused, in a line each."""
    left_out: tuple[str, ...] = ()
    """Why items were skipped, in a line each."""
    written: tuple[tuple[str, int], ...] = ()
    """How many items of each kind were created or updated."""


class Publisher(Protocol):
    """Publishes one store to one target. It is made with its settings and used by one thread."""

    settings_class: ClassVar[type[Section]]

    def __init__(self, settings: Any, engine: "Engine") -> None: ...

    def check(self) -> Sequence[CheckStep]:
        """Try each thing that is needed, up to the first that fails; changes nothing."""

    def plan(self) -> Iterable[PlannedChange]:
        """What `publish` would send now; changes nothing."""

    def publish(self) -> Iterator[Published]:
        """Send what is new since the last call, or all there is, in steps; then end.

        Whatever was yielded is not sent again. What the target refuses is recorded with the reason
        and does not keep the rest. Raises TargetUnavailable where it takes nothing now.
        """


@runtime_checkable
class Exclusive(Protocol):
    """A publisher of which only one may be at work for a target: two would send all twice."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep others away for as long as this one is at work; raises Busy where one is."""
