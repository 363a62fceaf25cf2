"""Tables and jobs as a catalog knows them, in one shape for all catalogs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headwater.emit.gaps import GapEntry
from headwater.model.naming import DatasetName

Json = dict[str, Any]
# A column by the table that has it.
Source = tuple[DatasetName, str]


class ColumnEntry(NamedTuple):
    name: str
    type: str = ""
    description: str = ""


class TableEntry(NamedTuple):
    """A table with what the catalog says of it; `facets` are those of this catalog alone."""

    name: DatasetName
    others: tuple[DatasetName, ...] = ()
    """Other names of the table."""
    location: DatasetName | None = None
    """Where its files are, if that is another name of it."""
    columns: tuple[ColumnEntry, ...] = ()
    description: str = ""
    owner: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    facets: Mapping[str, Json] = {}


class StatedJobType(NamedTuple):
    """What the jobType facet says of jobs of a kind."""

    integration: str
    job_type: str
    processing: str = "BATCH"


@dataclass
class LinkedJob:
    """A job with all that the catalog says it reads and writes."""

    namespace: str
    name: str
    kind: StatedJobType
    description: str = ""
    owner: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    sql: str = ""
    facets: dict[str, Json] = field(default_factory=dict)
    reads: set[DatasetName] = field(default_factory=set)
    flows: dict[DatasetName, set[DatasetName]] = field(default_factory=dict)
    """What each output is made of."""
    columns: dict[DatasetName, dict[str, set[Source]]] = field(default_factory=dict)
    """For outputs, the columns that each of their columns is made of."""

    @property
    def inputs(self) -> list[DatasetName]:
        return sorted(self.reads.union(*self.flows.values()))

    def add_flow(self, source: DatasetName | None, target: DatasetName | None) -> None:
        """Note that something goes from one dataset to another; one of them may be unknown."""
        if target is not None:
            self.flows.setdefault(target, set()).update(() if source is None else (source,))
        elif source is not None:
            self.reads.add(source)

    def add_column(self, target: DatasetName, column: str, source: Source) -> None:
        self.columns.setdefault(target, {}).setdefault(column, set()).add(source)


class CatalogReading(NamedTuple):
    """What one pass has read of a catalog."""

    tables: list[TableEntry]
    jobs: list[LinkedJob]
    gaps: list[GapEntry]
    is_whole: bool = True
    """Whether what is not in it is not there: nothing was left out, and nothing refused."""


class Unreadable(NamedTuple):
    """Something that may not be read, or is not there, and what was answered."""

    what: str
    reason: str


def denied_gaps(denied: Iterable[Unreadable]) -> list[GapEntry]:
    return [
        GapEntry("other", each.what, f"The catalog did not say: {each.reason}") for each in denied
    ]
