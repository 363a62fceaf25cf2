"""Finds what a word of a query matches: terms that hold it or are near it, and their sources."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from headwater.model.search_text import (
    INSIDE,
    SHORTEST_NEAR,
    SHORTEST_PART,
    UNNAMED,
    Rank,
    Sought,
    TermSource,
    near_words,
    pieces_of_near,
)
from headwater.store.query.direct import ask

# Terms that hold one word: where there are more, it is too short to tell anything.
_MOST_TERMS = 5_000
# Greater than any text that begins with another.
_LAST = "\U0010ffff"
# Ranks and weights make one number, to be ordered by.
_SCALE = 2 * UNNAMED


class Terms(NamedTuple):
    """What a word of a query finds in the index."""

    sought: Sought
    holding: tuple[str, ...]
    """Terms that hold the word."""
    near: tuple[str, ...]
    """Terms that are one letter off."""

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.holding, *self.near)


class NameMatch(NamedTuple):
    """A dataset or job that a name made a query find; the lowest score is the best."""

    id: bytes
    kind: int
    score: int

    @property
    def rank(self) -> Rank:
        return Rank(self.score // _SCALE)


def score_of(rank: Rank, weight: int) -> int:
    return rank * _SCALE + weight


def read_terms(connection: Connection, word: str) -> Terms:
    """Look a word up; one or two letters find what begins with them, which is a term by itself."""
    if len(word) < SHORTEST_PART:
        return Terms(Sought(word), (word,), ())
    pieces = pieces_of_near(word) if len(word) >= SHORTEST_NEAR else []
    rows = _read_terms(connection, [word, *pieces])
    holding = tuple(dict.fromkeys(term for place, term in rows if place == 0))
    near = near_words(word, {term for place, term in rows if place}.difference(holding))
    return Terms(Sought(word, frozenset(near)), holding, tuple(near))


def _read_terms(connection: Connection, beginnings: Sequence[str]) -> list[tuple[int, str]]:
    """Terms with a part that begins so, each with the place of that beginning."""
    queries = [
        f"SELECT * FROM (SELECT {place} AS place, term FROM search_part"
        f" WHERE part >= ? AND part < ? ORDER BY part, term LIMIT {_MOST_TERMS}) AS found{place}"
        for place in range(len(beginnings))
    ]
    values = [value for each in beginnings for value in (each, each + _LAST)]
    found: list[Any] = ask(connection, " UNION ALL ".join(queries), *values)
    return found


class SearchScope(NamedTuple):
    """What names are looked at: of which kinds, in which namespace, and without what is gone."""

    kinds: tuple[TermSource, ...]
    namespace: bytes | None = None
    gone: str = ""
    """The query for what is gone, if anything is."""

    def conditions(self) -> tuple[str, tuple[Any, ...]]:
        text = f"weight < {UNNAMED}"
        # Names are of nothing else: without a condition there is less to count.
        if len(self.kinds) == 1:
            text += f" AND kind = {int(self.kinds[0])}"
        if self.gone:
            text += f" AND source NOT IN ({self.gone})"
        if self.namespace is None:
            return text, ()
        return f"{text} AND ({_IS_WITHIN})", (self.namespace, self.namespace)


_IS_WITHIN = " OR ".join(
    f"EXISTS (SELECT 1 FROM {table} WHERE id = source AND namespace_id = ?)"
    for table in ("dataset", "job")
)


class Names:
    """The names that hold any of a word's terms, as far as they are looked at."""

    def __init__(self, connection: Connection, terms: Terms, scope: SearchScope) -> None:
        self._connection = connection
        self._word = terms.sought.word
        self._near = frozenset(terms.near)
        self._where, self._values = scope.conditions()
        query = f"SELECT term, count(*) FROM search_word WHERE {self._among()} GROUP BY term"
        self._counts = dict(ask(connection, query, list(terms.all), *self._values))

    def _among(self) -> str:
        return f"term IN ?* AND {self._where}"

    def count(self, is_near: bool = True) -> int:
        """How many there are; without those that are only near if requested so."""
        terms = [term for term in self._counts if is_near or term not in self._near]
        if len(terms) <= 1:
            # A name is there once under a term.
            return sum(self._counts[term] for term in terms)
        query = f"SELECT count(DISTINCT source) FROM search_word WHERE {self._among()}"
        return int(ask(self._connection, query, terms, *self._values)[0][0])

    def read(self, limit: int, offset: int = 0) -> list[NameMatch]:
        """Some of them, the best first."""
        if not self._counts:
            return []
        page = f"LIMIT {limit} OFFSET {offset}"
        if len(self._counts) == 1:
            (term,) = self._counts
            rank = self._rank_of(term)
            query = (
                f"SELECT source, kind, weight FROM search_word WHERE term = ? AND {self._where}"
                f" ORDER BY weight, kind, source {page}"
            )
            rows = ask(self._connection, query, term, *self._values)
            return [NameMatch(id, kind, _score(rank, weight)) for id, kind, weight in rows]
        query = (
            f"SELECT source, kind, min({self._scores()}) AS score FROM search_word"
            f" WHERE {self._among()} GROUP BY source, kind ORDER BY score, kind, source {page}"
        )
        near = [self._nearest()] if self._near else []
        values = (*near, *self._beginning(), list(self._counts), *self._values)
        return [NameMatch(*row) for row in ask(self._connection, query, *values)]

    def all(self, others: Iterable["Names"] = ()) -> set[bytes]:
        """All of them, or all that others have, too."""
        query = f"SELECT source FROM search_word WHERE {self._among()}"
        values = [list(self._counts), *self._values]
        for other in others:
            query += f" AND source IN (SELECT source FROM search_word WHERE {other._among()})"
            values += [list(other._counts), *other._values]
        return {row[0] for row in ask(self._connection, query, *values)}

    def total(self) -> int:
        """About how many there are: what is there under two terms is counted twice."""
        return sum(self._counts.values())

    def _rank_of(self, term: str) -> Rank:
        if term in self._near:
            return Rank.NEAR
        if term == self._word:
            return Rank.WORD
        return Rank.WORD_PREFIX if term.startswith(self._word) else Rank.PART

    def _nearest(self) -> list[str]:
        return [term for term in self._counts if term in self._near]

    def _beginning(self) -> tuple[str, ...]:
        begins = (self._word, self._word + _LAST)
        return (*begins, self._word, *begins)

    def _scores(self) -> str:
        begins = "term >= ? AND term < ?"
        near = f"WHEN term IN ?* THEN {int(Rank.NEAR)} " if self._near else ""
        ranks = (
            f"{near}WHEN {begins} AND weight < {INSIDE} THEN {int(Rank.PREFIX)}"
            f" WHEN term = ? THEN {int(Rank.WORD)} WHEN {begins} THEN {int(Rank.WORD_PREFIX)}"
        )
        return f"CASE {ranks} ELSE {int(Rank.PART)} END * {_SCALE} + weight"


def _score(rank: Rank, weight: int) -> int:
    is_first = weight < INSIDE and rank in (Rank.WORD, Rank.WORD_PREFIX)
    return score_of(Rank.PREFIX if is_first else rank, weight)


def read_sources(
    connection: Connection, terms: Sequence[str], kinds: Sequence[TermSource], most: int
) -> list[tuple[int, bytes]]:
    """What is not a dataset's or job's name and holds any of some terms, by kind."""
    if not terms:
        return []
    among = ", ".join(str(int(kind)) for kind in kinds)
    query = (
        f"SELECT kind, source FROM search_word WHERE term IN ?* AND weight = {UNNAMED}"
        f" AND kind IN ({among}) ORDER BY term, kind, source LIMIT {most}"
    )
    found: list[Any] = ask(connection, query, list(terms))
    return found


def read_holders(
    connection: Connection, word: str, is_end: bool, is_beginning: bool, most: int
) -> list[bytes] | None:
    """The names with a word, or one that ends or begins with it; None if there are too many."""
    terms = [word]
    if is_end or is_beginning:
        found = _read_terms(connection, [word])
        if len(found) >= _MOST_TERMS:
            return None
        terms = [
            term
            for term in {term for _, term in found}
            if (is_end or term.startswith(word)) and (is_beginning or term.endswith(word))
        ]
    kinds = ", ".join(str(int(kind)) for kind in (TermSource.DATASET, TermSource.JOB))
    query = (
        f"SELECT source FROM search_word WHERE term IN ?* AND weight < {UNNAMED}"
        f" AND kind IN ({kinds}) LIMIT {most + 1}"
    )
    rows = ask(connection, query, terms) if terms else []
    return None if len(rows) > most else list({row[0] for row in rows})


def holds_namespace(connection: Connection, terms: Sequence[str]) -> bool:
    return bool(read_sources(connection, terms, (TermSource.NAMESPACE,), 1))


# Of one kind, by terms.
SOURCES = (
    f"SELECT source FROM search_word WHERE term IN ?* AND weight = {UNNAMED} AND kind = {{kind}}"
)
