"""Searching datasets and jobs by their names and texts, best matches first.

A query of one word, by far the commonest, is counted and ordered by the index alone, and only what
is shown of it is read. Everything else looks at each thing that the rarest of its words finds.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from headwater.model.search_text import Rank, Sought, TermSource, words_of
from headwater.store.query.paging import Page
from headwater.store.search.matches import Match, find_match, read_texts
from headwater.store.search.query import Keep, Order, Query, Ranked, SearchRun
from headwater.store.search.results import SearchHit
from headwater.store.search.terms import Terms, read_terms


class Hit(NamedTuple):
    """What was found, and why."""

    found: SearchHit
    rank: Rank
    match: Match


# Two names with a colon between them: an owner or a tag, `team:analytics`; no URL.
_LABEL = re.compile(r"[^\s:/]+:[^\s:/]+")


def search(connection: Connection, query: Query, page: Page) -> tuple[list[Hit], int]:
    """Find what answers a query, and count it all.

    A text such as `team:analytics` is one name: what has its two words in different places is
    found only where nothing has the name.
    """
    label = query.text.strip().lower()
    if _LABEL.fullmatch(label):
        hits, total = _search(connection, query._replace(keep=_keep_labelled(query, label)), page)
        if total:
            return hits, total
    return _search(connection, query, page)


def _keep_labelled(query: Query, label: str) -> Keep:
    def keep(connection: Connection, found: list[SearchHit]) -> list[SearchHit]:
        kept = query.keep(connection, found) if query.keep is not None else found
        texts = _read_texts(connection, kept)
        return [
            each
            for each in kept
            if label in each.name.lower()
            or any(label in match.text.lower() for match in texts.get(each.id, []))
        ]

    return keep


def _search(connection: Connection, query: Query, page: Page) -> tuple[list[Hit], int]:
    words = list(dict.fromkeys(words_of(query.text)))
    if not words:
        return [], 0
    terms = [read_terms(connection, word) for word in words]
    run = SearchRun(connection, query, terms)
    if len(words) == 1 and query.order is Order.RANK and query.keep is None:
        ranked, total = run.best(page)
    elif len(words) == 1 and query.newest is not None and query.keep is None:
        ranked, total = run.latest(page, query.newest)
    else:
        ranked, total = run.all(page)
    if not total:
        ranked, total = run.within(page)
    hits = _hits(connection, ranked, _Sought(query.text, terms))
    return hits, total - (len(ranked) - len(hits))


def _hits(connection: Connection, ranked: Sequence[Ranked], sought: "_Sought") -> list[Hit]:
    """The hits, each with the place of its match. Texts that were removed since are left out."""
    matches = [each.found for each in ranked if sought.is_in_text(each)]
    texts = _read_texts(connection, matches)
    hits = []
    for each in ranked:
        match = sought.match(each, texts.get(each.found.id, []))
        if match is not None:
            hits.append(Hit(each.found, each.rank, match))
    return hits


def _read_texts(connection: Connection, found: Sequence[SearchHit]) -> dict[bytes, list[Match]]:
    return read_texts(
        connection,
        [each.id for each in found if each.kind == TermSource.DATASET],
        [each.id for each in found if each.kind == TermSource.JOB],
    )


class _Sought:
    """What is looked for in the texts of a thing."""

    def __init__(self, text: str, terms: Sequence[Terms]) -> None:
        self._whole = Sought(text.strip().lower())
        self._words = [each.sought for each in terms]

    def is_in_text(self, each: Ranked) -> bool:
        """Whether a word must be looked for elsewhere than in the name."""
        name = each.found.name.lower()
        return each.rank is not Rank.NAMESPACE and any(
            word.rank(name) in (None, Rank.NEAR) for word in self._words
        )

    def match(self, each: Ranked, texts: list[Match]) -> Match | None:
        """Where an entity matches; None if the matched text is no longer current."""
        if each.rank is Rank.NAMESPACE:
            return Match("namespace", each.found.namespace)
        name, namespace = each.found.name.lower(), each.found.namespace.lower()
        match = Match("name", each.found.name)
        for word in self._words:
            rank = word.rank(name)
            if rank is not None and rank is not Rank.NEAR:
                continue
            matches = find_match(texts, word)
            if matches is not None and (rank is None or word.word in matches.text.lower()):
                match = matches
            elif rank is None and word.rank(namespace) is None:
                return None
        if match.place != "name":
            # Words that are written as one are best shown so.
            return find_match(texts, self._whole) or match
        return match
