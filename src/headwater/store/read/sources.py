"""Reading sources: where datasets are, by their dataSource facets or edits."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, text

from headwater.model.aspects import DATA_SOURCE, DOCUMENTATION
from headwater.model.relations import NamedKind
from headwater.model.values.ids import namespace_id, source_id
from headwater.model.values.stamp import time_of
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import FIELDS
from headwater.store.read.edited_values import EditedValues, read_words
from headwater.store.read.named_entities import Times, find_named, list_named, text_of, word_fields

_IS_SOURCE = text("slot = 2 AND name = 'dataSource'")


class SourceRecord(NamedTuple):
    name: str
    url: str
    type: str | None
    first_said: int | None
    last_said: int | None
    description: str | None = None


def list_sources(connection: Connection, page: Page) -> tuple[list[SourceRecord], int]:
    """List the sources from events and edits, by name."""
    stated = _read_stated(connection)
    named = list_named(connection, NamedKind.SOURCE)
    names = sorted(stated.keys() | named.keys())
    shown = names[page.offset : page.offset + page.limit]
    return _read(connection, shown, stated, named), len(names)


def find_source(connection: Connection, name: str) -> SourceRecord | None:
    """Find a source; the namespace is the source of datasets that report none."""
    stated = _read_stated(connection)
    named = find_named(connection, NamedKind.SOURCE, [name])
    if name in stated or name in named:
        return _read(connection, [name], stated, named)[0]
    dataset = tables.dataset
    query = select(dataset.c.id).where(dataset.c.namespace_id == namespace_id(name)).limit(1)
    is_namespace = connection.execute(query).first() is not None
    return SourceRecord(name, name, None, None, None) if is_namespace else None


def list_source_times(connection: Connection) -> list[int]:
    """List when each source was first spoken of, as far as is known."""
    stated = _read_stated(connection)
    named = list_named(connection, NamedKind.SOURCE)
    sources = _read(connection, stated.keys() | named.keys(), stated, named)
    return [source.first_said for source in sources if source.first_said is not None]


# Addresses by digest of the facets that state them, by the source's name.
_Stated = dict[str, dict[bytes, str]]


def _read_stated(connection: Connection) -> _Stated:
    """The sources that dataset facets name; each facet is looked at once, however many have it."""
    # In the words of the index, which holds nothing else.
    query = select(tables.facet.c.digest).where(_IS_SOURCE).distinct()
    found: defaultdict[str, dict[bytes, str]] = defaultdict(dict)
    read = FIELDS.read(connection, connection.execute(query).scalars())
    for digest, fields in read.items():
        if name := text_of(fields, "name"):
            found[name][digest] = text_of(fields, "uri") or ""
    return dict(found)


def _reported_at(is_among: IsAmong) -> Any:
    facet = tables.facet
    return (
        select(facet.c.digest, func.min(facet.c.digest_at), func.max(facet.c.digest_at))
        .where(is_among(facet.c.digest), _IS_SOURCE)
        .group_by(facet.c.digest)
    )


_REPORTED_AT = Prepared(_reported_at)


def _read(
    connection: Connection, names: Iterable[str], stated: _Stated, named: Mapping[str, Times]
) -> list[SourceRecord]:
    requested = list(names)
    digests = [digest for name in requested for digest in stated.get(name, ())]
    times = {
        digest: (time_of(first), time_of(last))
        for digest, first, last in _REPORTED_AT.rows(connection, digests)
    }
    words = read_words(connection, map(source_id, requested))
    return [
        _over(
            _as_stated(name, stated.get(name, {}), times),
            named.get(name),
            words.get(source_id(name)),
        )
        for name in requested
    ]


def _as_stated(name: str, urls: Mapping[bytes, str], times: Mapping[bytes, Times]) -> SourceRecord:
    """A source as events report it: of several addresses the newest."""
    dated = sorted((times[digest][1], digest) for digest in urls if digest in times)
    given = [urls[digest] for _, digest in dated if urls[digest]]
    return SourceRecord(
        name,
        given[-1] if given else "",
        None,
        min((times[digest][0] for _, digest in dated), default=None),
        dated[-1][0] if dated else None,
    )


def _over(source: SourceRecord, times: Times | None, word: EditedValues | None) -> SourceRecord:
    """A source with a person's word in the place of what events say."""
    first = [time for time in (source.first_said, times[0] if times else None) if time is not None]
    last = [time for time in (source.last_said, times[1] if times else None) if time is not None]
    given, documentation = word_fields(word, DATA_SOURCE), word_fields(word, DOCUMENTATION)
    return source._replace(
        url=text_of(given, "uri") or source.url,
        type=text_of(given, "type"),
        first_said=min(first, default=None),
        last_said=max(last, default=None),
        description=text_of(documentation, "description"),
    )
