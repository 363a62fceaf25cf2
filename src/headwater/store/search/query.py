"""Finding what matches the words of a query: by names, then by texts."""

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Connection

from headwater.model.search_text import (
    SHORTEST_PART,
    Rank,
    TermSource,
    is_beginning,
    last_part,
    words_of,
)
from headwater.model.values.ids import namespace_id
from headwater.store.query.paging import Page
from headwater.store.search.matches import WordMatches, find_matching, read_matches, read_together
from headwater.store.search.results import SearchHit, read_found, read_times
from headwater.store.search.scope import gone_text, list_within, read_gone
from headwater.store.search.terms import (
    Names,
    SearchScope,
    Terms,
    holds_namespace,
    read_sources,
    score_of,
)

# Things of one rank and length are ordered by when they were seen, so many at once.
_BLOCK = 50
_MOST_NAMESPACES = 1_000
# Where so many names answer, others that only say the words are looked at less.
_ENOUGH = 100
_MOST_MATCHES = 150
_MOST_MATCHES_BESIDE_NAMES = 100
_NAMES_READ = 500
# Names that have a word, from which on the newest of all are looked at instead; some at once, and
# so many for a page that others would be looked at as quickly.
_MANY_NAMES = 500
_READ_AT_ONCE = 20
_MOST_READ = 5_000


class Order(StrEnum):
    RANK = "rank"
    NAME = "name"
    UPDATED = "updated"


Keep = Callable[[Connection, list[SearchHit]], list[SearchHit]]


class Query(NamedTuple):
    """What is looked for; every word of the text must be found."""

    text: str
    kinds: tuple[TermSource, ...] = (TermSource.DATASET, TermSource.JOB)
    namespace: str | None = None
    order: Order = Order.RANK
    keep: Keep | None = None
    """What else must be so: given what was found, what of it is kept."""
    newest: Sequence[tuple[int, bytes]] | None = None
    """When everything there is was last seen, the newest first, where that is known."""


class Ranked(NamedTuple):
    found: SearchHit
    score: int
    rank: Rank


def _by_name(each: Ranked) -> tuple[str, str, int]:
    return each.found.name, each.found.namespace, each.found.kind


def _newest(each: Ranked) -> int:
    return -(each.found.updated_at or 0)


class SearchRun:
    """A search on its way."""

    def __init__(self, connection: Connection, query: Query, terms: list[Terms]) -> None:
        self._connection = connection
        self._query = query
        self._terms = terms
        self._text = query.text.strip().lower()
        self._gone = read_gone(connection)
        within = None if query.namespace is None else namespace_id(query.namespace)
        gone = gone_text(connection) if self._gone else ""
        self._scope = SearchScope(query.kinds, within, gone)
        self._matches: dict[int, WordMatches] = {}
        self._most_matches = _MOST_MATCHES

    def _names(self, terms: Terms) -> Names:
        return Names(self._connection, terms, self._scope)

    def best(self, page: Page) -> tuple[list[Ranked], int]:
        """One word: names that contain it, then texts that do, then similar names."""
        terms = self._terms[0]
        names = self._names(terms)
        total = names.count()
        self._look_less(total)
        matches, near = self._only_in_texts(terms, Rank.TEXT), self._only_in_texts(terms, Rank.NEAR)
        held = total
        if matches and terms.near:
            held = names.count(is_near=False)
        first, last = page.offset, page.offset + page.limit
        found = self._blocks(names, first, min(last, held))
        found += self._slice(matches, max(0, first - held), max(0, last - held))
        first, last = first - len(matches), last - len(matches)
        found += self._blocks(names, max(held, first), min(total, last))
        found += self._slice(near, max(0, first - total), max(0, last - total))
        return found, total + len(matches) + len(near)

    def _only_in_texts(self, terms: Terms, rank: Rank) -> list[Ranked]:
        """What has a word, or a similar one, in its texts and neither in its name."""
        ids = [
            id
            for id, matches in self._matches_of(0).ranks.items()
            if matches is rank and id not in self._gone
        ]
        return self._ordered(
            Ranked(each, score_of(rank, len(each.name)), rank)
            for each in self._read(ids).values()
            if terms.sought.rank(each.name.lower()) is None
        )

    def _blocks(self, names: Names, first: int, last: int) -> list[Ranked]:
        """A slice of the names in order: the index's, and by time within each block of it."""
        if last <= first:
            return []
        start = first - first % _BLOCK
        rows = names.read(last + -last % _BLOCK - start, start)
        found = self._read([row.id for row in rows])
        ranked = [Ranked(found[row.id], row.score, row.rank) for row in rows if row.id in found]
        return self._slice(ranked, first - start, last - start)

    def all(self, page: Page) -> tuple[list[Ranked], int]:
        """Everything that has all words and is requested, in order, and how much that is."""
        ranked: list[Ranked] = []
        if all(terms.all for terms in self._terms):
            found = self._read(self._named())
            self._look_less(len(found))
            if len(self._terms) == 1 or not self._is_enough(found.values()):
                found |= self._read(self._matching(found))
            ranked = self._judged(found) or self._judged(self._read(self._matching_common()))
        ordered = self._ordered(self._kept(ranked))
        return self._slice(ordered, page.offset, page.offset + page.limit), len(ordered)

    def latest(self, page: Page, newest: Sequence[tuple[int, bytes]]) -> tuple[list[Ranked], int]:
        """One word that many names have: what was seen last is looked at until a page is full."""
        terms = self._terms[0]
        total = self._names(terms).count()
        last = page.offset + page.limit
        if total < _MANY_NAMES or last * len(newest) > total * _MOST_READ:
            return self.all(page)
        self._look_less(total)
        total += sum(len(self._only_in_texts(terms, rank)) for rank in (Rank.TEXT, Rank.NEAR))
        found: list[Ranked] = []
        start = 0
        while start < len(newest) and len(found) < last:
            # Those of one moment are ordered by name: all of them belong together.
            stop = min(start + max(_READ_AT_ONCE, page.limit), len(newest))
            while stop < len(newest) and newest[stop][0] == newest[stop - 1][0]:
                stop += 1
            read = self._read(id for _, id in newest[start:stop] if id not in self._gone)
            found += self._judged(read)
            start = stop
        return self._ordered(found)[page.offset : last], total

    def _judged(self, found: dict[bytes, SearchHit]) -> list[Ranked]:
        return [each for each in map(self._judge, found.values()) if each is not None]

    def _look_less(self, names: int) -> None:
        if names >= _ENOUGH:
            self._most_matches = _MOST_MATCHES_BESIDE_NAMES

    def _is_enough(self, found: Collection[SearchHit]) -> bool:
        """Many names that have all words, or one that is just what was requested."""
        return len(found) >= _ENOUGH or any(
            is_beginning(self._text, each.name.lower()) is Rank.EXACT for each in found
        )

    def _kept(self, ranked: list[Ranked]) -> list[Ranked]:
        if self._query.keep is None:
            return ranked
        kept = self._query.keep(self._connection, [each.found for each in ranked])
        ids = {each.id for each in kept}
        return [each for each in ranked if each.found.id in ids]

    def _named(self) -> set[bytes]:
        """Names that have all words. A word that a namespace holds may be found there alone; if all
        are such, one of them must be found in the name."""
        every = range(len(self._terms))
        needed = [place for place in every if not self._is_in_namespaces(place)]
        names = self._with_all(needed) if needed else self._with_any(every)
        return names.difference(self._gone)

    def _matching(self, found: Collection[bytes]) -> set[bytes]:
        """What may say some or all of the words."""
        every = range(len(self._terms))
        ids = self._matching_together()
        if len(ids) >= self._most_matches:
            return ids.difference(self._gone, found)
        for place in every:
            matches = self._matches_of(place)
            if len(every) == 1 or not matches.is_cut:
                ids.update(matches.ranks)
        return ids.difference(self._gone, found)

    def _matching_together(self) -> set[bytes]:
        """What has words written as one in its texts, such as a column's name."""
        ids: set[bytes] = set()
        for together in self._text.split():
            words = set(words_of(together))
            if len(words) > 1:
                places = [
                    place for place, terms in enumerate(self._terms) if terms.sought.word in words
                ]
                every = [self._terms[place] for place in places]
                matching = read_together(self._connection, every, self._most_matches)
                ids |= matching
                for place in places:
                    # Where these are enough, others that say one of the words are not looked for.
                    if len(matching) >= self._most_matches:
                        self._matches.setdefault(place, WordMatches({}, False))
                    self._matches_of(place).ranks.update(dict.fromkeys(matching, Rank.TEXT))
        return ids

    def _matching_common(self) -> set[bytes]:
        """What has one word in its name and says others, which are too common to look through all
        who do: the best of those names are searched."""
        places = range(len(self._terms))
        common = [place for place in places if self._matches_of(place).is_cut]
        ids: set[bytes] = set()
        for place in places if len(places) > 1 and common else ():
            best = [named.id for named in self._names(self._terms[place]).read(_NAMES_READ)]
            for other in common:
                if other != place:
                    matching = find_matching(self._connection, best, self._terms[other])
                    self._matches_of(other).ranks.update(dict.fromkeys(matching, Rank.TEXT))
                    ids |= matching
        return ids.difference(self._gone)

    def _is_in_namespaces(self, place: int) -> bool:
        return holds_namespace(self._connection, self._terms[place].holding)

    def _with_all(self, places: list[int]) -> set[bytes]:
        """Names with all of some words. One or two letters are decided by the name."""
        long = [place for place in places if len(self._terms[place].sought.word) >= SHORTEST_PART]
        if not long:
            return self._with_any(places[:1])
        rarest, *others = sorted(
            (self._names(self._terms[place]) for place in long), key=Names.total
        )
        # What the others hold is decided by the names that are left.
        return rarest.all(others[:1])

    def _with_any(self, places: Iterable[int]) -> set[bytes]:
        return {id for place in places for id in self._names(self._terms[place]).all()}

    def _matches_of(self, place: int) -> WordMatches:
        matches = self._matches.get(place)
        if matches is None:
            matches = self._matches[place] = read_matches(
                self._connection, self._terms[place], self._most_matches
            )
        return matches

    def _judge(self, found: SearchHit) -> Ranked | None:
        """How well something answers all words; None where one of them is not found."""
        name, namespace = found.name.lower(), found.namespace.lower()
        worst, is_own = Rank.EXACT, False
        for place, terms in enumerate(self._terms):
            rank = terms.sought.rank(name)
            if rank is None or rank is Rank.NEAR:
                if (matches := self._matches_of(place).ranks.get(found.id)) is not None:
                    rank = matches
                elif rank is None and terms.sought.rank(namespace) is not None:
                    worst = max(worst, Rank.WORD)
                    continue
            if rank is None:
                return None
            is_own, worst = True, max(worst, rank)
        if not is_own:
            return None
        if (whole := is_beginning(self._text, name)) is not None:
            worst = whole
        length = len(last_part(name)) if worst <= Rank.PREFIX else len(name)
        return Ranked(found, score_of(worst, length), worst)

    def _ordered(self, ranked: Iterable[Ranked]) -> list[Ranked]:
        """All in the order that is requested, but for the times of what ranks the same."""
        match self._query.order:
            case Order.NAME:
                return sorted(ranked, key=_by_name)
            case Order.UPDATED:
                return sorted(self._timed(ranked), key=lambda each: (_newest(each), _by_name(each)))
        return sorted(ranked, key=lambda each: (each.score, each.found.kind, each.found.id))

    def _slice(self, ranked: list[Ranked], first: int, last: int) -> list[Ranked]:
        """Some of what is in order, with times; what ranks the same is by time within a block."""
        if self._query.order is not Order.RANK:
            return self._timed(ranked[first:last])
        start = first - first % _BLOCK
        found: list[Ranked] = []
        for at in range(start, last, _BLOCK):
            block = self._timed(ranked[at : at + _BLOCK])
            found += sorted(block, key=lambda each: (each.score, _newest(each), _by_name(each)))
        return found[first - start : last - start]

    def _timed(self, ranked: Iterable[Ranked]) -> list[Ranked]:
        known = list(ranked)
        times = read_times(self._connection, (each.found for each in known))
        return [
            each._replace(found=each.found._replace(updated_at=times.get(each.found.id)))
            for each in known
        ]

    def _read(self, ids: Iterable[bytes]) -> dict[bytes, SearchHit]:
        found = read_found(self._connection, ids, self._query.kinds)
        if self._query.namespace is not None:
            return {
                id: each for id, each in found.items() if each.namespace == self._query.namespace
            }
        return found

    def within(self, page: Page) -> tuple[list[Ranked], int]:
        """What is in the namespaces that have all words, where nothing else has them."""
        requested: set[bytes] | None = None
        for terms in self._terms:
            some = read_sources(
                self._connection, terms.holding, (TermSource.NAMESPACE,), _MOST_NAMESPACES
            )
            ids = {source for _, source in some}
            requested = ids if requested is None else requested & ids
        if self._query.namespace is not None:
            requested = (requested or set()) & {namespace_id(self._query.namespace)}
        if not requested:
            return [], 0
        is_paged = self._query.keep is None and self._query.order is not Order.UPDATED
        rows, total = list_within(
            self._connection, requested, self._query.kinds, page if is_paged else None
        )
        ranked = [Ranked(found, score_of(Rank.NAMESPACE, 0), Rank.NAMESPACE) for found in rows]
        ranked = self._kept(ranked)
        if is_paged:
            return self._timed(ranked), total
        ordered = self._ordered(ranked)
        return self._slice(ordered, page.offset, page.offset + page.limit), len(ranked)
