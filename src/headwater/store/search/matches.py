"""Texts of datasets and jobs: the owners of content that a search found, and its place."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from headwater.model.aspects import DOCUMENTATION, OWNERSHIP
from headwater.model.relations import Slot
from headwater.model.search_text import Rank, Sought, TermSource
from headwater.store import tables
from headwater.store.query.direct import ask
from headwater.store.read.content_cache import COLUMN_TYPES, SCHEMAS
from headwater.store.read.datasets import read_states
from headwater.store.read.edited_values import read_words
from headwater.store.read.facets import read_facet_fields
from headwater.store.search.terms import SOURCES, Terms, read_sources

_FACETS = frozenset((DOCUMENTATION, OWNERSHIP, "tags"))


class Match(NamedTuple):
    """Where a thing answers a query, and the text that does."""

    place: str
    text: str


class WordMatches(NamedTuple):
    """The owners of texts with a word, or a similar one; not all of them for a common word."""

    ranks: dict[bytes, Rank]
    is_cut: bool


def read_matches(connection: Connection, terms: Terms, most: int) -> WordMatches:
    """Find what has a column, description, owner or tag that holds a word; or, where there is
    nothing, one near it. Of a common word, `most` of them."""
    if matching := _read_owners(connection, terms.holding, most):
        return WordMatches(dict.fromkeys(matching, Rank.TEXT), len(matching) >= most)
    return WordMatches(dict.fromkeys(_read_owners(connection, terms.near, most), Rank.NEAR), False)


def _read_owners(connection: Connection, terms: Sequence[str], most: int) -> set[bytes]:
    sources = read_sources(connection, terms, (TermSource.CONTENT, TermSource.TAGGED), most)
    found = {source for kind, source in sources if kind == TermSource.TAGGED}
    digests = {source for kind, source in sources if kind == TermSource.CONTENT}
    return found | _read_owners_of(connection, sorted(digests), most)


def read_together(connection: Connection, every: Sequence[Terms], most: int) -> set[bytes]:
    """Find the owners of texts with several words at once, such as the name of a column."""
    if not all(terms.holding for terms in every):
        return set()
    contents = SOURCES.format(kind=int(TermSource.CONTENT))
    query = contents + f" AND source IN ({contents})" * (len(every) - 1)
    query += f" ORDER BY source LIMIT {most}"
    # The innermost first, as it is the longest word that tells most.
    holding = sorted((list(terms.holding) for terms in every), key=lambda some: -len(some[0]))
    digests = [row[0] for row in ask(connection, query, *holding)]
    return _read_owners_of(connection, list(dict.fromkeys(digests)), most)


def _read_owners_of(connection: Connection, digests: list[bytes], most: int) -> set[bytes]:
    found: set[bytes] = set()
    for owner in _OWNERS if digests else ():
        query = f"{owner.query} AND {owner.digest} IN ?* LIMIT {most}"
        found.update(row[0] for row in ask(connection, query, digests))
    return found


def find_matching(connection: Connection, ids: Sequence[bytes], terms: Terms) -> set[bytes]:
    """Which of some things say a word, however common it is."""
    if not terms.holding or not ids:
        return set()
    found: set[bytes] = set()
    contents = SOURCES.format(kind=int(TermSource.CONTENT))
    for owner in _OWNERS:
        query = f"{owner.query} AND {owner.id} IN ?* AND {owner.digest} IN ({contents})"
        found.update(row[0] for row in ask(connection, query, list(ids), list(terms.holding)))
    return found


class _Owner(NamedTuple):
    """A relation that gives content to things, and the query for what nobody has replaced."""

    query: str
    id: str
    digest: str


def _unless_newer(table: str, keys: Sequence[str], time: str, own: str) -> str:
    """No newer row of the same keys has another value."""
    same = " AND ".join(f"newer.{key} = {table}.{key}" for key in keys)
    return (
        f"NOT EXISTS (SELECT 1 FROM {table} AS newer WHERE {same}"
        f" AND newer.{time} > {table}.{time} AND newer.{own} <> {table}.{own}"
        f" AND length(newer.{own}) > 0)"
    )


_OWNERS = (
    _Owner(
        f"SELECT owner FROM facet WHERE {tables.IS_WORDED.text} AND "
        + _unless_newer("facet", ("owner", "slot", "name"), "digest_at", "digest"),
        "facet.owner",
        "facet.digest",
    ),
    _Owner(
        "SELECT dataset FROM job_dataset WHERE "
        + _unless_newer("job_dataset", ("job", "dataset", "direction"), "last_seen", "schema"),
        "job_dataset.dataset",
        "job_dataset.schema",
    ),
    _Owner(
        "SELECT dataset FROM declared_dataset WHERE "
        + _unless_newer(
            "declared_dataset", ("author", "job", "dataset", "direction"), "last_said", "schema"
        ),
        "declared_dataset.dataset",
        "declared_dataset.schema",
    ),
    _Owner(
        "SELECT entity FROM edit_value WHERE length(digest) > 0",
        "edit_value.entity",
        "edit_value.digest",
    ),
)


Texts = list[Match]


def read_texts(
    connection: Connection, datasets: Iterable[bytes], jobs: Iterable[bytes]
) -> dict[bytes, Texts]:
    """Read all searchable texts of entities besides their names, as they are now."""
    requested = list(datasets)
    found: dict[bytes, Texts] = {}
    for slot, ids in ((Slot.DATASET, requested), (Slot.JOB, list(jobs))):
        words = read_words(connection, ids)
        for id, fields in read_facet_fields(connection, ids, slot, _FACETS).items():
            found.setdefault(id, []).extend(_stated(fields.by_facet))
        for id, word in words.items():
            described = (Match("description", each) for each in word.descriptions().values())
            found.setdefault(id, []).extend(described)
    for id, texts in _read_columns(connection, requested):
        found.setdefault(id, []).extend(texts)
    return found


def _read_columns(connection: Connection, datasets: list[bytes]) -> Iterator[tuple[bytes, Texts]]:
    states = read_states(connection, datasets)
    digests = [state.schema for state in states.values()]
    columns = COLUMN_TYPES.read(connection, digests)
    schemas = SCHEMAS.read(connection, digests)
    for id, state in states.items():
        if state.schema in columns:
            fields = schemas[state.schema].fields or ()
            described = (Match("description", field.description or "") for field in fields)
            yield id, [*(Match("column", name) for name in columns[state.schema]), *described]


def _stated(by_facet: dict[str, dict[str, Any]]) -> Iterator[Match]:
    description = by_facet.get(DOCUMENTATION, {}).get("description")
    if isinstance(description, str):
        yield Match("description", description)
    for place, facet, list_name, keys in (
        ("owner", OWNERSHIP, "owners", ("name",)),
        ("tag", "tags", "tags", ("key", "value")),
    ):
        listed = by_facet.get(facet, {}).get(list_name)
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict):
                values = (each.get(key) for key in keys)
                yield from (Match(place, value) for value in values if isinstance(value, str))


def find_match(texts: Texts, sought: Sought) -> Match | None:
    """The text that answers a word best."""
    ranked = [
        (rank, len(match.text), match)
        for match in texts
        if (rank := sought.rank(match.text.lower())) is not None
    ]
    return min(ranked)[2] if ranked else None
