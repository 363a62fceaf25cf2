"""Reading namespaces: they exist because jobs and datasets are in them, or because a person says
so."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, union_all

from headwater.model.aspects import DOCUMENTATION, OWNERSHIP
from headwater.model.relations import NamedKind
from headwater.model.values.ids import namespace_id
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.edited_values import EditedValues, read_words
from headwater.store.read.named_entities import find_named, is_named, text_of, word_fields
from headwater.store.read.visibility.deletions import read_last_changes
from headwater.store.read.visibility.pages import list_namespace_names
from headwater.store.read.visibility.shown import DATASET_IS_LISTED, JOB_IS_LISTED

NOBODY = "anonymous"


class Namespace(NamedTuple):
    name: str
    first_seen: int | None
    last_seen: int | None
    owner: str = NOBODY
    description: str | None = None
    is_hidden: bool = False


# When anything in a namespace was first and last seen, by its name.
NamespaceTimes = Mapping[str, tuple[int, int]]


def list_namespaces(
    connection: Connection,
    page: Page,
    with_hidden: bool = False,
    times: NamespaceTimes | None = None,
) -> tuple[list[Namespace], int]:
    """List the namespaces by name, those that were deleted only if requested."""
    named = tables.named
    query = select(named.c.name).where(named.c.kind == int(NamedKind.NAMESPACE))
    every = set(connection.execute(query).scalars())
    for table in (tables.dataset, tables.job):
        every |= list_namespace_names(connection, table)
    names = sorted(every)
    if not with_hidden:
        deleted = _deleted(connection, names)
        names = [name for name in names if name not in deleted]
    shown = names[page.offset : page.offset + page.limit]
    return _read(connection, shown, times), len(names)


def find_namespace(connection: Connection, name: str) -> Namespace | None:
    """Find a namespace, deleted or not, and when anything in it was first and last seen."""
    return _read(connection, [name])[0] if has_namespace(connection, name) else None


def has_namespace(connection: Connection, name: str) -> bool:
    """Whether a namespace is known: cheaper than to find out since when."""
    within = namespace_id(name)
    for table in (tables.job, tables.dataset):
        query = select(table.c.id).where(table.c.namespace_id == within).limit(1)
        if connection.execute(query).first() is not None:
            return True
    return is_named(connection, NamedKind.NAMESPACE, name)


def _seen(is_among: IsAmong) -> Any:
    """When anything in namespaces was first and last seen."""
    dataset, job = tables.dataset, tables.job
    used, declared = tables.job_dataset, tables.declared_dataset
    within = dataset.c.namespace_id
    seen = [
        select(job.c.namespace_id, job.c.first_seen, job.c.last_seen).where(
            is_among(job.c.namespace_id)
        ),
        select(within, used.c.first_seen, used.c.last_seen)
        .join(dataset, dataset.c.id == used.c.dataset)
        .where(is_among(within)),
        select(within, declared.c.first_said, declared.c.last_said)
        .join(dataset, dataset.c.id == declared.c.dataset)
        .where(is_among(within)),
    ]
    every = union_all(*seen).subquery()
    namespace, first, last = every.c
    return select(namespace, func.min(first), func.max(last)).group_by(namespace)


_SEEN = Prepared(_seen)


def _deleted(connection: Connection, names: Iterable[str]) -> set[str]:
    """Those of some namespaces that were deleted, and nothing in them is shown since."""
    if connection.execute(select(tables.hidden.c.entity).limit(1)).first() is None:
        return set()
    ids = {namespace_id(name): name for name in names}
    changes = read_last_changes(connection, ids)
    # Few are: they are read one by one.
    return {
        ids[id]
        for id, change in changes.items()
        if change.is_deleted and not _shows(connection, id)
    }


def _shows(connection: Connection, namespace: bytes) -> bool:
    for table, is_shown in ((tables.job, JOB_IS_LISTED), (tables.dataset, DATASET_IS_LISTED)):
        query = select(table.c.id).where(table.c.namespace_id == namespace, is_shown).limit(1)
        if connection.execute(query).first() is not None:
            return True
    return False


def _read(
    connection: Connection, names: list[str], times: NamespaceTimes | None = None
) -> list[Namespace]:
    """Read what is known of namespaces, for all of them at once."""
    ids = {name: namespace_id(name) for name in names}
    seen = {id: times[name] for name, id in ids.items() if times and name in times}
    # Of those that are new since the times were read, too.
    missing = [id for id in ids.values() if id not in seen]
    seen.update((id, (first, last)) for id, first, last in _SEEN.rows(connection, missing))
    declared = find_named(connection, NamedKind.NAMESPACE, names)
    words = read_words(connection, ids.values())
    deleted = _deleted(connection, names)
    return [
        _namespace(
            name, seen.get(id, (None, None)), declared.get(name), words.get(id), name in deleted
        )
        for name, id in ids.items()
    ]


def _namespace(
    name: str,
    seen: tuple[int | None, int | None],
    declared: tuple[int, int] | None,
    word: EditedValues | None,
    is_hidden: bool,
) -> Namespace:
    first = [time for time in (seen[0], declared[0] if declared else None) if time is not None]
    last = [time for time in (seen[1], declared[1] if declared else None) if time is not None]
    return Namespace(
        name,
        min(first, default=None),
        max(last, default=None),
        _owner(word) or NOBODY,
        text_of(word_fields(word, DOCUMENTATION), "description"),
        is_hidden,
    )


def _owner(word: EditedValues | None) -> str | None:
    owners = word_fields(word, OWNERSHIP).get("owners")
    first = owners[0] if isinstance(owners, list) and owners else None
    return text_of(first, "name") if isinstance(first, dict) else None
