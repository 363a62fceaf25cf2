"""The topics and groups that collectors found in clusters, beside what the graph knows of them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from headwater.graph.edge_rules import EdgeKind
from headwater.graph.view import View, Visit
from headwater.model.aspects import DOCUMENTATION, OWNERSHIP
from headwater.model.relations import Direction, Slot
from headwater.model.uses import NOW, Evidence, Name
from headwater.model.values.consumer_groups import GROUP_FACET, TOPIC_FACET, kafka_namespace_of
from headwater.store.engine import Connection
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.lineage.kafka_clusters import list_group_jobs, list_topics, read_wholes
from headwater.store.read.edited_values import read_words
from headwater.store.read.facets import read_facet_fields

_AT_ONCE = 500


class FoundTopic(NamedTuple):
    """A topic of a cluster; `others` are the jobs that name it and are no groups."""

    id: bytes
    chosen: bytes
    """The name that stands for it, where its cluster has several."""
    name: Name
    since: int
    is_internal: bool
    is_deleted: bool
    is_described: bool
    """Whether a person gave it a description or an owner."""
    others: frozenset[bytes]
    writers: int
    readers: int


class FoundGroup(NamedTuple):
    """A group of a cluster; `wholes` are the jobs that it is shown as."""

    job: bytes
    name: Name
    since: int
    ended_at: int | None
    facet: dict[str, Any]
    topics: frozenset[bytes]
    wholes: frozenset[bytes]
    is_described: bool

    @property
    def cluster(self) -> str:
        return kafka_namespace_of(self.name.namespace)

    @property
    def is_deleted(self) -> bool:
        return self.facet.get("reason") == "deleted"


class Estate(NamedTuple):
    """All of some clusters, with what jobs read, and the names that messages need."""

    topics: Sequence[FoundTopic]
    groups: Sequence[FoundGroup]
    inputs: dict[bytes, frozenset[bytes]]
    names: dict[bytes, Name]


def read_estate(connection: Connection, namespace: str = "") -> Estate:
    """Read what collectors found in one cluster, or in all."""
    every = list_group_jobs(connection)
    groups = list(_read_groups(connection, every, namespace))
    topics = list(_read_topics(connection, set(every), namespace))
    wholes = {whole for group in groups for whole in group.wholes}
    view = View(StoreReader(connection), NOW)
    inputs = {
        visit.job: frozenset(link.dataset for link in links)
        for visit, links in view.links(map(Visit, sorted(wholes)), Direction.INPUT).items()
    }
    read = {topic for group in groups for topic in group.topics}
    names = view.reader.job_names(wholes) | view.reader.dataset_names(read)
    return Estate(topics, groups, inputs, names)


def _read_topics(
    connection: Connection, groups: set[bytes], namespace: str
) -> Iterator[FoundTopic]:
    listed = list_topics(connection, namespace)
    for start in range(0, len(listed), _AT_ONCE):
        names = dict(listed[start : start + _AT_ONCE])
        fields = read_facet_fields(connection, names, Slot.DATASET, {TOPIC_FACET})
        stated = {id: each.by_facet.get(TOPIC_FACET) for id, each in fields.items()}
        collected = [id for id in names if stated.get(id)]
        # A view for each part: it remembers all that it has read.
        view = View(StoreReader(connection), NOW)
        view.load_users(collected, Direction)
        writers, readers = view.writers(collected), view.readers(collected)
        edited = read_words(connection, collected)
        for id in collected:
            uses = view.users(id)
            facet = stated[id] or {}
            jobs = {use.job for use in uses if any(use.job) and use.word != Evidence.TAKEN_BACK}
            yield FoundTopic(
                id,
                view.classes.chosen(id),
                names[id],
                min((use.first_seen for use in uses), default=0),
                bool(facet.get("isInternal")),
                bool(facet.get("isDeleted")),
                id in edited and _is_described(edited[id].values),
                frozenset(jobs - groups - view.hidden(jobs)),
                sum(kind is not EdgeKind.PAST for _, kind in writers[id]),
                len(readers[id]),
            )


def _read_groups(
    connection: Connection, every: dict[bytes, tuple[Name, bool]], namespace: str
) -> Iterator[FoundGroup]:
    requested = [
        job
        for job, (name, _) in every.items()
        if namespace in ("", kafka_namespace_of(name.namespace))
    ]
    for start in range(0, len(requested), _AT_ONCE):
        jobs = requested[start : start + _AT_ONCE]
        reader = StoreReader(connection)
        runs = reader.newest_runs(jobs, NOW)
        facets = read_facet_fields(
            connection, {run.run for run in runs.values()}, Slot.RUN, {GROUP_FACET}
        )
        topics = _topics_of(reader, jobs)
        wholes = read_wholes(connection, [job for job in jobs if every[job][1]])
        edited = read_words(connection, jobs)
        for job in jobs:
            run = runs.get(job)
            stated = facets[run.run].by_facet if run is not None and run.run in facets else {}
            since, now_read = topics.get(job, (run.began if run else 0, frozenset()))
            yield FoundGroup(
                job,
                every[job][0],
                since,
                run.since if run is not None else None,
                stated.get(GROUP_FACET) or {},
                now_read,
                frozenset(wholes.get(job, ())),
                job in edited and _is_described(edited[job].values),
            )


def _topics_of(
    reader: StoreReader, jobs: Sequence[bytes]
) -> dict[bytes, tuple[int, frozenset[bytes]]]:
    """Since when each group is known, and what it reads now, also where it is hidden."""
    view = _Unhidden(reader)
    found = {}
    for visit, links in view.links(map(Visit, jobs), Direction.INPUT).items():
        uses = [use for link in links for use in link.uses]
        if uses:
            datasets = frozenset(link.dataset for link in links)
            found[visit.job] = (min(use.first_seen for use in uses), datasets)
    return found


class _Unhidden(View):
    """A view in which groups are seen that are shown as other jobs."""

    def __init__(self, reader: StoreReader) -> None:
        super().__init__(reader, NOW)

    def hidden(self, ids: Any) -> set[bytes]:
        return set()


def _is_described(values: Any) -> bool:
    return ("", DOCUMENTATION) in values or ("", OWNERSHIP) in values
