"""Datasets as they are now, each with the datasets that it is made of."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from headwater.answers.descriptions import DescribedDataset, describe_datasets
from headwater.answers.inventory.entries import (
    ColumnLink,
    DatasetRef,
    InventoryDataset,
    Upstream,
)
from headwater.answers.inventory.links import LinkReader, list_columns, read_refs, text_of
from headwater.answers.nodes import view_at
from headwater.graph.view import Visit
from headwater.model.aspects import OWNERSHIP
from headwater.model.facets import Schema
from headwater.model.gaps import describe_gaps
from headwater.model.relations import Direction
from headwater.model.uses import Name
from headwater.store.engine import Connection
from headwater.store.read.content_cache import SCHEMAS

_DROPPED = "DROP"


def read_datasets(
    connection: Connection, ids: list[bytes], with_upstreams: bool
) -> list[InventoryDataset]:
    """Those of some datasets that are listed, each under the name that it is shown by."""
    return _DatasetPage(connection, with_upstreams).read(ids)


class _DatasetPage:
    """Some datasets, with all that is needed of those around them."""

    def __init__(self, connection: Connection, with_upstreams: bool) -> None:
        self._connection = connection
        self._with_upstreams = with_upstreams
        self._view = view_at(connection, None)

    def read(self, ids: list[bytes]) -> list[InventoryDataset]:
        view = self._view
        view.classes.resolve(ids)
        hidden = view.hidden(ids)
        shown = [id for id in ids if view.classes.chosen(id) == id and id not in hidden]
        described = {
            id: found
            for id, found in describe_datasets(self._connection, view, shown).items()
            if found.last_seen is not None and found.lifecycle != _DROPPED
        }
        schemas = SCHEMAS.read(self._connection, (each.schema for each in described.values()))
        upstreams, gaps = self._read_upstreams(list(described))
        return [
            _dataset_entry(found, schemas, tuple(upstreams.get(id, ())), gaps.get(id, ""))
            for id, found in described.items()
        ]

    def _read_upstreams(
        self, ids: list[bytes]
    ) -> tuple[dict[bytes, list[Upstream]], dict[bytes, str]]:
        if not self._with_upstreams:
            return {}, {}
        view = self._view
        view.prefetch({Direction.OUTPUT: ids}, with_uses=True)
        writers = view.writers(ids)
        visits = {visit for reached in writers.values() for visit, _ in reached}
        links = LinkReader(view, visits)
        job_names = view.reader.job_names({visit.job for visit in visits})
        refs = read_refs(view, links.datasets)
        job_gaps = view.gaps(visits) if view.reader.has_gaps else {}
        found: dict[bytes, list[Upstream]] = {}
        gaps: dict[bytes, str] = {}
        for id, reached in writers.items():
            its_visits = [visit for visit, _ in reached if visit.job in job_names]
            found[id] = _collect(links, refs, job_names, id, its_visits)
            its_gaps = (job_gaps.get(visit.job, ()) for visit in its_visits)
            gaps[id] = describe_gaps(gap for some in its_gaps for gap in some)
        return found, gaps


def _collect(
    links: LinkReader,
    refs: Mapping[bytes, DatasetRef],
    job_names: Mapping[bytes, Name],
    output: bytes,
    visits: Iterable[Visit],
) -> list[Upstream]:
    """What a dataset is made of, over all jobs that write it."""
    jobs: defaultdict[bytes, dict[Name, None]] = defaultdict(dict)
    columns: defaultdict[bytes, dict[ColumnLink, None]] = defaultdict(dict)
    for visit in visits:
        pairs = links.pairs(visit, output)
        for source in (*links.sources(visit), *(source for source, _ in pairs)):
            jobs[source][job_names[visit.job]] = None
        for source, link in pairs:
            columns[source][link] = None
    return sorted(
        Upstream(
            refs[source],
            tuple(sorted(jobs[source])),
            tuple(sorted(columns[source], key=ColumnLink.order)),
        )
        for source in jobs
        if source in refs
    )


def _dataset_entry(
    found: DescribedDataset,
    schemas: Mapping[bytes, Schema],
    upstreams: tuple[Upstream, ...],
    gaps: str,
) -> InventoryDataset:
    schema = schemas.get(found.schema) if found.schema else None
    owners = found.facets.get(OWNERSHIP, {}).get("owners")
    tags = found.facets.get("tags", {}).get("tags")
    return InventoryDataset(
        DatasetRef(found.name, found.aliases),
        found.system,
        list_columns(schema),
        text_of(found.facets.get("documentation", {}).get("description")),
        _named(tags, "key"),
        _named(owners, "name"),
        upstreams,
        gaps,
        schema,
        found.facets,
    )


def _named(values: object, key: str) -> tuple[str, ...]:
    """The names in a list of a facet, whatever else is in it."""
    if not isinstance(values, list):
        return ()
    found = (each.get(key) for each in values if isinstance(each, dict))
    return tuple(sorted({name for name in found if isinstance(name, str) and name}))
