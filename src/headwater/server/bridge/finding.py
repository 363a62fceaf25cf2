"""Finding a dataset by any of its names, and showing datasets and jobs with facets."""

from collections.abc import Iterable, Sequence

from msgspec import Raw

from headwater.errors import Conflict, NotFound
from headwater.graph.aliases import AliasSets
from headwater.model.confluent.data_sources import jdbc_name
from headwater.model.naming import DatasetName
from headwater.model.relations import Slot
from headwater.server.bridge.shapes import BridgeDataset, BridgeJob, BridgeName
from headwater.server.marquez.shapes.datasets import facets_with
from headwater.store.engine import Connection
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.lineage.names_like import find_by_last_part
from headwater.store.read.content_cache import BODIES
from headwater.store.read.datasets import DatasetRecord, find_dataset, read_states
from headwater.store.read.facets import NOTHING, read_facets, read_stated
from headwater.store.read.jobs import JobRecord

_JDBC = "jdbc://"


def find_by_any_name(connection: Connection, namespace: str, name: str) -> DatasetRecord:
    """Find a dataset by a name that events use, or by the documented one of a database's table."""
    found = find_dataset(connection, namespace, name)
    if found is not None:
        return found
    if namespace.startswith(_JDBC):
        meant = _by_jdbc_name(connection, DatasetName(namespace, name))
        if len(meant) == 1:
            return meant[0]
        if meant:
            others = ", ".join(f"{each.namespace} {each.name}" for each in meant[:5])
            raise Conflict(f"'{namespace} {name}' may mean any of {others}; use one of these names")
    raise NotFound("Dataset", f"{namespace}/{name}")


def _by_jdbc_name(connection: Connection, requested: DatasetName) -> list[DatasetRecord]:
    authority = requested.namespace.removeprefix(_JDBC)
    candidates = find_by_last_part(connection, authority, requested.name)
    return [each for each in candidates if jdbc_name(each.namespace, each.name) == requested]


def show_datasets(connection: Connection, datasets: Sequence[DatasetRecord]) -> list[BridgeDataset]:
    """Datasets with their newest facets and other names."""
    ids = [dataset.id for dataset in datasets]
    states = read_states(connection, ids)
    stated = read_stated(connection, ids, Slot.DATASET)
    digests = {
        digest
        for id in ids
        for digest in (
            states[id].schema,
            states[id].columns,
            *(row[3] for row in stated.get(id, NOTHING).rows),
        )
    }
    bodies = BODIES.read(connection, digests)
    aliases = _aliases(connection, datasets)
    shown = []
    for dataset in datasets:
        state, facets = states[dataset.id], stated.get(dataset.id, NOTHING).facets(bodies)
        schema, columns = (bodies.get(digest or b"") for digest in (state.schema, state.columns))
        whole = facets_with(facets, schema, columns)
        shown.append(BridgeDataset(dataset.namespace, dataset.name, whole, aliases[dataset.id]))
    return shown


def one_name_each(connection: Connection, datasets: Sequence[DatasetRecord]) -> list[DatasetRecord]:
    """Datasets without those that are another name of one: by that they are listed."""
    classes = AliasSets(StoreReader(connection))
    classes.resolve(dataset.id for dataset in datasets)
    return [each for each in datasets if classes.chosen(each.id) == each.id]


def _aliases(
    connection: Connection, datasets: Sequence[DatasetRecord]
) -> dict[bytes, list[BridgeName]]:
    """The other names of each dataset, and the documented one of a database's table."""
    reader = StoreReader(connection)
    classes = AliasSets(reader)
    classes.resolve(dataset.id for dataset in datasets)
    names = reader.dataset_names(
        other for dataset in datasets for other in classes.names(dataset.id)
    )
    found: dict[bytes, list[BridgeName]] = {}
    for dataset in datasets:
        others = {tuple(names[id]) for id in classes.names(dataset.id) if id in names}
        if documented := jdbc_name(dataset.namespace, dataset.name):
            others.add(tuple(documented))
        others.discard((dataset.namespace, dataset.name))
        found[dataset.id] = [BridgeName(*other) for other in sorted(others)]
    return found


def show_jobs(connection: Connection, jobs: Iterable[JobRecord]) -> list[BridgeJob]:
    """Jobs with their newest facets."""
    some = list(jobs)
    facets = read_facets(connection, [job.id for job in some], Slot.JOB)
    return [
        BridgeJob(
            job.namespace,
            job.name,
            {name: Raw(body) for name, body in sorted(facets.get(job.id, {}).items())},
        )
        for job in some
    ]
