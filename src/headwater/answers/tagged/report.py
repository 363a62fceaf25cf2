"""The report of a tag: what has it, where its values flow without it, where they are masked.

Values are followed by column, along direct edges; a dataset that is tagged as a whole begins with
all its columns. Within a dataset that has the tag as a whole nothing is untagged.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from headwater.answers.columns import list_columns
from headwater.answers.tagged.flow import ValueFlow, ValueStep, follow
from headwater.graph.answer import Towards
from headwater.graph.column_graph import ColumnKey
from headwater.graph.columns import walk_columns
from headwater.graph.node_id import dataset_node_id, field_node_id, job_node_id
from headwater.graph.view import View
from headwater.graph.walk import Limits
from headwater.model.relations import Slot
from headwater.model.systems import system_of_dataset, system_of_job
from headwater.model.uses import Name
from headwater.model.values.ids import tag_id
from headwater.store.engine import Connection
from headwater.store.read.edited_values import read_description
from headwater.store.read.labels.tagged import TaggedFields, read_tagged
from headwater.store.read.owners import read_owners

Shape = dict[str, Any]

TAGGED, UNTAGGED, MASKED = "tagged", "untagged", "masked"
STATES = (UNTAGGED, TAGGED, MASKED)
# From each column, in jobs: farther than any pipeline goes.
_MOST_DEPTH = 100


class _Row(NamedTuple):
    """A column, dataset (`field` is empty) or job of the report."""

    state: str
    slot: Slot
    id: bytes
    field: str = ""
    step: ValueStep | None = None


def tag_report(connection: Connection, view: View, tag: str, most: int) -> Shape:
    """Everything about a tag: what is untagged and not masked comes first, then by name.

    At most so many columns are followed, and so many that have the tag listed; all are counted.
    """
    found = read_tagged(connection, tag)
    datasets = _shown_datasets(view, found[Slot.DATASET])
    # An edit does not tell datasets from jobs: their names do.
    jobs = view.reader.job_names(found[Slot.JOB]).keys() - view.hidden(found[Slot.JOB])
    whole = {id for id, fields in datasets.items() if "" in fields}
    starts = {ColumnKey(id, field) for id, fields in datasets.items() for field in fields if field}
    starts |= set(list_columns(connection, view, whole)) if whole else set()
    is_cut = len(starts) > most
    graph = walk_columns(
        view,
        sorted(starts)[:most],
        Towards.DOWNSTREAM,
        Limits(_MOST_DEPTH, most),
        with_indirect=False,
    )
    tagged = [
        *(_Row(TAGGED, Slot.DATASET, id, field) for id in datasets for field in datasets[id]),
        *(_Row(TAGGED, Slot.JOB, id) for id in jobs),
    ]
    left = max(0, len(tagged) - most)
    rows = [*tagged[:most], *_rows_of(follow(graph), whole)]
    assets = _shapes(connection, view, rows)
    counts = {state: sum(asset["state"] == state for asset in assets) for state in STATES}
    counts[TAGGED] += left
    return {
        "tag": tag,
        "description": read_description(connection, tag_id(tag)),
        "counts": counts,
        "assets": assets,
        "totalCount": sum(counts.values()),
        "owners": sorted({owner for asset in assets for owner in asset["owners"]}),
        "isCut": is_cut or left > 0 or graph.is_cut,
        "incomplete": bool(graph.gaps),
    }


def _shown_datasets(view: View, found: TaggedFields) -> TaggedFields:
    """Tagged fields by the dataset that is shown, whichever of its names has the tag."""
    view.classes.resolve(found)
    shown: TaggedFields = {}
    for id, fields in found.items():
        shown.setdefault(view.classes.chosen(id), set()).update(fields)
    known = view.reader.dataset_names(shown).keys() - view.hidden(shown)
    return {id: fields for id, fields in shown.items() if id in known}


def _rows_of(flow: ValueFlow, whole: set[bytes]) -> Iterator[_Row]:
    for state, columns in ((UNTAGGED, flow.untagged), (MASKED, flow.masked)):
        for column, step in columns.items():
            if column.dataset not in whole:
                yield _Row(state, Slot.DATASET, column.dataset, column.name, step)


def _shapes(connection: Connection, view: View, rows: list[_Row]) -> list[Shape]:
    ids = {slot: {row.id for row in rows if row.slot is slot} for slot in (Slot.DATASET, Slot.JOB)}
    steps = [row.step for row in rows if row.step]
    names = _Names(
        view.reader.dataset_names(ids[Slot.DATASET] | {step.start.dataset for step in steps}),
        view.reader.job_names(ids[Slot.JOB] | {job for step in steps for job in step.jobs}),
    )
    owners = {
        id: owned for slot in ids for id, owned in read_owners(connection, ids[slot], slot).items()
    }
    shapes = [_shape(row, names, owners.get(row.id, [])) for row in rows if names.has(row)]
    shapes.sort(
        key=lambda asset: (
            STATES.index(asset["state"]),
            asset["namespace"],
            asset["name"],
            asset["field"] or "",
        )
    )
    return shapes


class _Names(NamedTuple):
    datasets: dict[bytes, Name]
    jobs: dict[bytes, Name]

    def has(self, row: _Row) -> bool:
        return row.id in (self.datasets if row.slot is Slot.DATASET else self.jobs)

    def column(self, column: ColumnKey) -> str | None:
        name = self.datasets.get(column.dataset)
        return name and field_node_id(*name, column.name)

    def job_ids(self, jobs: Iterable[bytes]) -> list[str]:
        return [job_node_id(*self.jobs[job]) for job in jobs if job in self.jobs]


def _shape(row: _Row, names: _Names, owners: list[str]) -> Shape:
    if row.slot is Slot.JOB:
        name = names.jobs[row.id]
        type, id, system = "JOB", job_node_id(*name), system_of_job(None, name.namespace)
    else:
        name = names.datasets[row.id]
        type = "COLUMN" if row.field else "DATASET"
        id, system = dataset_node_id(*name), system_of_dataset(name.namespace)
        id = field_node_id(*name, row.field) if row.field else id
    return {
        "state": row.state,
        "id": id,
        "type": type,
        "namespace": name.namespace,
        "name": name.name,
        "field": row.field or None,
        "system": system,
        "owners": owners,
        "hops": row.step.hops if row.step else 0,
        "source": names.column(row.step.start) if row.step else None,
        "jobs": names.job_ids(row.step.jobs) if row.step else [],
    }
