"""The index that searches read: filled by every writer from the rows that it writes.

Names and content never change under their ids, so what they are found by is written once, with
them. A row of the index is made from one other row alone, and is never updated: whichever way and
in whichever order rows come, the index is the same.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, tuple_

from headwater.model.aspects import TAG
from headwater.model.merge import Row
from headwater.model.relations import EditValue, JobRow
from headwater.model.search_text import (
    UNNAMED,
    TermSource,
    parts_of,
    terms_of_content,
    terms_of_name,
    words_of,
)
from headwater.store import tables
from headwater.store.write.packing import unpack

_TABLES = (tables.search_word, tables.search_part)

_AT_ONCE = 2_000
_CONTENTS_AT_ONCE = 500

# A term, the weight and kind of what it was found in, and its id.
Word = tuple[str, int, int, bytes]
# A part of a term, and the term.
Part = tuple[str, str]


class Entries(NamedTuple):
    """Rows of the index, in the order of their keys, as every writer writes them."""

    words: list[Word]
    parts: list[Part]

    def by_table(self) -> tuple[Sequence[Row], Sequence[Row]]:
        return self.words, self.parts


class Indexing:
    """Makes the entries of some rows."""

    def __init__(self) -> None:
        self._words: set[Word] = set()

    def add_dataset(self, row: Row) -> None:
        self._add_named(TermSource.DATASET, row)

    def add_job(self, row: Row) -> None:
        self._add_named(TermSource.JOB, row)

    def _add_named(self, source: TermSource, row: Row) -> None:
        id, within, namespace, name = row[:4]
        for term, weight in terms_of_name(name).items():
            self._words.add((term, weight, source, id))
        self.add_namespace(within, namespace)

    def add_namespace(self, id: bytes, name: str) -> None:
        for term in words_of(name):
            self._words.add((term, UNNAMED, TermSource.NAMESPACE, id))

    def add_content(self, digest: bytes, body: bytes) -> None:
        for term in terms_of_content(body):
            self._words.add((term, UNNAMED, TermSource.CONTENT, digest))

    def add_edit(self, row: Row) -> None:
        """A person's tag has its name in the aspect; other values are content."""
        edit = EditValue._make(row)
        if edit.aspect.startswith(TAG):
            for term in words_of(edit.aspect.removeprefix(TAG)):
                self._words.add((term, UNNAMED, TermSource.TAGGED, edit.entity))

    def namespaces(self) -> set[bytes]:
        """The ids of the namespaces that were added."""
        return {source for _, _, kind, source in self._words if kind == TermSource.NAMESPACE}

    def without(self, other: "Indexing") -> list[Word]:
        """What only this one has."""
        return sorted(self._words - other._words)

    def entries(self, is_new: Callable[[str], bool] = lambda term: True) -> Entries:
        """All that was added; parts only of terms that are new."""
        terms = {word[0] for word in self._words}
        parts = [(part, term) for term in terms if is_new(term) for part in parts_of(term)]
        return Entries(sorted(self._words), sorted(parts))


def is_seen(job: Row) -> bool:
    """Whether a job's row is more than the name that an edit gave it."""
    return JobRow._make(job).first_seen is not None


def term_key(term: str) -> bytes:
    """What a writer remembers a term by, apart from all ids."""
    return b"term " + term.encode()


def fill_index(connection: Connection) -> None:
    """Make the index of all that is stored: what an upgrade does, once."""
    known: set[str] = set()

    def is_new(term: str) -> bool:
        is_known = term in known
        known.add(term)
        return not is_known

    for rows in _stored_rows(connection):
        indexing = Indexing()
        for add, row in rows:
            add(indexing, row)
        insert_entries(connection, indexing.entries(is_new))


_Step = tuple[Callable[[Indexing, Row], None], Row]


def _stored_rows(connection: Connection) -> Iterator[list[_Step]]:
    def add_content(indexing: Indexing, row: Row) -> None:
        indexing.add_content(row[0], unpack(row[1]))

    def add_job(indexing: Indexing, row: Row) -> None:
        if is_seen(row):
            indexing.add_job(row)

    steps = (
        (tables.dataset, Indexing.add_dataset),
        (tables.job, add_job),
        (tables.content, add_content),
        (tables.edit_value, Indexing.add_edit),
    )
    for table, add in steps:
        keys = list(table.primary_key)
        query = select(table).order_by(*keys).limit(_AT_ONCE)
        rows = connection.execute(query).all()
        while rows:
            yield [(add, tuple(row)) for row in rows]
            last = tuple(getattr(rows[-1], key.name) for key in keys)
            rows = connection.execute(query.where(tuple_(*keys) > tuple_(*last))).all()


def insert_entries(connection: Connection, entries: Entries) -> None:
    """Write entries beside those that are there."""
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    for table, rows in zip(_TABLES, entries.by_table(), strict=True):
        if rows:
            marks = ", ".join(mark for _ in table.columns)
            statement = f"INSERT INTO {table.name} VALUES ({marks}) ON CONFLICT DO NOTHING"
            connection.exec_driver_sql(statement, list(rows))


def remove_contents(connection: Connection, digests: Iterable[bytes]) -> None:
    """Remove what is found by content that is about to go."""
    content = tables.content
    gone = list(digests)
    for start in range(0, len(gone), _CONTENTS_AT_ONCE):
        part = gone[start : start + _CONTENTS_AT_ONCE]
        indexing = Indexing()
        query = select(content.c.digest, content.c.body).where(content.c.digest.in_(part))
        for digest, body in connection.execute(query):
            indexing.add_content(digest, unpack(body))
        _remove_words(connection, indexing.entries(lambda term: False).words)


def remove_entries(connection: Connection, before: Indexing, after: Indexing) -> None:
    """Remove what rows were found by before they were changed, and are not any more."""
    _remove_words(connection, before.without(after))


def _remove_words(connection: Connection, words: Sequence[Word]) -> None:
    table = tables.search_word
    for first in range(0, len(words), _AT_ONCE):
        some = words[first : first + _AT_ONCE]
        connection.execute(delete(table).where(tuple_(*table.primary_key).in_(some)))


def remove_unused_parts(connection: Connection) -> None:
    """Remove the parts of terms that nothing is found by any more."""
    part, word = tables.search_part, tables.search_word
    is_used = select(1).where(word.c.term == part.c.term).exists()
    connection.execute(delete(part).where(~is_used))
