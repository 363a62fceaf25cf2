"""Changes of the whole graph, a page at once: what events are about is compared, not all there is.

Whatever changes between two times is changed by an event between them, and each change bears the
time of that event. So events are walked over in the order of time, and what they are about is
compared as of both times, until a page is full. All changes up to the place reached are then known.
"""

import base64
import binascii
from collections import Counter
from typing import Any, NamedTuple

import msgspec

from headwater.answers.changes import ChangeNames
from headwater.errors import InvalidRequest
from headwater.graph.diff import compare
from headwater.graph.everything import find_everything
from headwater.graph.view import View
from headwater.model.values.instant import format_instant, parse_instant
from headwater.store.engine import Connection
from headwater.store.stats.touched import (
    EventPlace,
    Touched,
    TouchedThen,
    add_neighbours,
    walk_touched,
)

Shape = dict[str, Any]

# Events looked at first: as many as a short page may need.
_FIRST = 16
# Jobs that are compared for one answer.
MOST_JOBS = 80
_ALL = 2**62
_CURSOR = msgspec.json.Decoder(tuple[str, str, str, str])
_LAST_DIGEST = b"\xff" * 17


class ChangeKey(NamedTuple):
    """A change's place in a list; what has no time of its own stands where it was met."""

    at: int
    type: str
    subject: str
    job: str = ""


class ChangesRequest(NamedTuple):
    limit: int
    after: ChangeKey | None = None
    is_newest_first: bool = False
    without: frozenset[str] = frozenset()
    nodes: int = MOST_JOBS


def read_cursor(text: str) -> ChangeKey | None:
    """The place that `next` of an answer named."""
    if not text:
        return None
    try:
        at, *rest = _CURSOR.decode(base64.urlsafe_b64decode(text))
        return ChangeKey(parse_instant(at), *rest)
    except (ValueError, binascii.Error):
        raise InvalidRequest("after", "not a `next` of an earlier answer") from None


def _cursor(key: ChangeKey) -> str:
    return base64.urlsafe_b64encode(
        msgspec.json.encode((format_instant(key.at), *key[1:]))
    ).decode()


def page_shape(connection: Connection, old: View, new: View, request: ChangesRequest) -> Shape:
    """A page of the changes, and as much of the rest as was met: `isCut` if there may be more."""
    pages = _Pages(connection, old, new, request)
    place: EventPlace | None = None
    for step in pages.walk():
        place = step.place
        pages.compare(step)
        if len(pages.known(place)) > request.limit or pages.is_spent(place):
            break
    known = pages.known(place)
    shown = known[: request.limit]
    following = None
    if len(known) > len(shown):
        following = shown[-1]
    elif place is not None:
        following = ChangeKey(place.at, "", "")
    elif request.after is None:
        # All of them: first those whose time is not known.
        shown.sort(key=lambda key: pages.found[key]["at"] is not None)
    shapes = [pages.found[key] for key in shown]
    counts = Counter(f"{key.type} {pages.found[key]['change']}" for key in known)
    return {
        "changes": shapes,
        "nodes": pages.names.nodes_of(shapes),
        "totalCount": len(known),
        "counts": dict(sorted(counts.items())),
        "isCut": place is not None,
        "next": _cursor(following) if following and request.limit else None,
    }


class _Pages:
    """A walk over events on its way, and the changes that it has met."""

    def __init__(
        self, connection: Connection, old: View, new: View, request: ChangesRequest
    ) -> None:
        self._connection = connection
        self._old, self._new = old, new
        self._request = request
        self._done = Touched(set(), set())
        self._met_at = new.at if request.is_newest_first else old.at + 1
        self._start = self._met_at
        self.found: dict[ChangeKey, Shape] = {}
        self.names = ChangeNames(connection, new)

    def walk(self) -> Any:
        low, high = EventPlace(self._old.at, _LAST_DIGEST), EventPlace(self._new.at, _LAST_DIGEST)
        is_newest_first, after = self._request.is_newest_first, self._request.after
        if after is not None and is_newest_first:
            high = min(high, EventPlace(after.at, _LAST_DIGEST))
            self._met_at = high.at
        elif after is not None:
            low = max(low, EventPlace(after.at - 1, _LAST_DIGEST))
            self._met_at = max(after.at, low.at)
        self._start = self._met_at
        return walk_touched(self._connection, low, high, is_newest_first, _FIRST)

    def is_spent(self, place: EventPlace | None) -> bool:
        """Whether enough was compared; at least all that is of one moment, so that pages go on."""
        has_moved = place is None or place.at != self._start
        return has_moved and len(self._done.jobs) >= min(MOST_JOBS, self._request.nodes)

    def compare(self, step: TouchedThen) -> None:
        """Compare what a step came upon, as far as that was not compared before."""
        fresh = Touched(
            step.touched.jobs - self._done.jobs, step.touched.datasets - self._done.datasets
        )
        for done, new in zip(self._done, fresh, strict=True):
            done |= new
        if any(fresh):
            near = add_neighbours(self._connection, fresh, self._names_of)
            jobs = sorted(self._new.reader.job_names(near.jobs))
            graphs = [
                find_everything(view, jobs, near.datasets, _ALL) for view in (self._old, self._new)
            ]
            changes = compare(self._old, self._new, *graphs)
            for shape, change in self.names.shapes(changes):
                at = self._met_at if change.cause.at is None else change.cause.at
                key = ChangeKey(at, shape["type"], shape["subject"], shape.get("job") or "")
                if key.type not in self._request.without:
                    self.found.setdefault(key, shape)
        if step.place is not None:
            self._met_at = step.place.at

    def known(self, place: EventPlace | None) -> list[ChangeKey]:
        """The changes up to a place, in order, that come after the page before."""
        is_newest_first, after = self._request.is_newest_first, self._request.after
        keys = sorted(self.found)
        if is_newest_first:
            keys.sort(key=lambda key: -key.at)
            if place is not None:
                keys = [key for key in keys if key.at > place.at]
            if after is not None:
                keys = [key for key in keys if (-key.at, *key[1:]) > (-after.at, *after[1:])]
            return keys
        if place is not None:
            keys = [key for key in keys if key.at < place.at]
        return keys if after is None else [key for key in keys if key > after]

    def _names_of(self, datasets: set[bytes]) -> set[bytes]:
        classes = self._new.classes
        classes.resolve(datasets)
        return {name for dataset in datasets for name in classes.names(dataset)}
