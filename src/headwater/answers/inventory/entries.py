"""What an inventory consists of: datasets with what they are made of, jobs with what they use."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.model.column_map import Transformation
from headwater.model.facets import Schema
from headwater.model.uses import Name


class DatasetRef(NamedTuple):
    """A dataset by all its names: that of events first, then those that it is known by as well."""

    name: Name
    others: tuple[Name, ...] = ()

    @property
    def names(self) -> tuple[Name, ...]:
        return (self.name, *self.others)


class Column(NamedTuple):
    name: str
    type: str
    description: str = ""


class ColumnLink(NamedTuple):
    """A column of one dataset that goes into a column of another; "" is a dataset as a whole."""

    source: str
    target: str
    transformations: tuple[Transformation, ...] = ()

    def order(self) -> tuple[str, ...]:
        """By which links are sorted."""
        return self.source, self.target, *(way.words for way in self.transformations)

    @property
    def is_indirect(self) -> bool:
        return bool(self.transformations) and all(way.is_indirect for way in self.transformations)


class Upstream(NamedTuple):
    """A dataset that another is made of: by which jobs, and which columns go where."""

    dataset: DatasetRef
    jobs: tuple[Name, ...]
    columns: tuple[ColumnLink, ...]


class InventoryDataset(NamedTuple):
    """A dataset as it is now."""

    dataset: DatasetRef
    system: str
    columns: tuple[Column, ...]
    description: str
    tags: tuple[str, ...]
    owners: tuple[str, ...]
    upstreams: tuple[Upstream, ...]
    gaps: str
    """What was not understood of the jobs that write it: then there may be more upstream."""
    schema: Schema | None = None
    """With the columns inside of columns."""
    facets: Mapping[str, Mapping[str, Any]] = {}
    """Facets that are shown of datasets, by name, under people's edits."""


class JobFlow(NamedTuple):
    """What a job makes one of its outputs of; without an output, what it only reads."""

    output: DatasetRef | None
    inputs: tuple[DatasetRef, ...]
    columns: tuple[tuple[DatasetRef, ColumnLink], ...] = ()


class InventoryJob(NamedTuple):
    """A job as it is now."""

    name: Name
    system: str
    integration: str
    processing: str
    kind: str
    description: str
    flows: tuple[JobFlow, ...]
    gaps: str
    columns: Mapping[DatasetRef, tuple[Column, ...]] = {}
    """The columns of its datasets, where these are known and requested."""
    facets: Mapping[str, Mapping[str, Any]] = {}
    """Facets that are shown of jobs, by name, under people's edits."""

    @property
    def inputs(self) -> list[DatasetRef]:
        return list(dict.fromkeys(each for flow in self.flows for each in flow.inputs))

    @property
    def outputs(self) -> list[DatasetRef]:
        return [flow.output for flow in self.flows if flow.output is not None]
