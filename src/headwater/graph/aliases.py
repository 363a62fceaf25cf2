"""One node for several names: datasets that aliases join, resolved level by level."""

from collections import defaultdict
from collections.abc import Iterable

from headwater.graph.reader import Reader
from headwater.model.naming import is_unknown
from headwater.model.relations import Alias, Authority, Joined
from headwater.model.uses import Name

# A dataset with more names than this keeps those found first, and the rest stand by themselves.
MOST_NAMES = 1_000


class AliasSets:
    """Which names are one dataset. This does not depend on the time: it holds as of any time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._class: dict[bytes, list[bytes]] = {}
        self._chosen: dict[bytes, bytes] = {}
        self.is_cut = False

    def resolve(self, names: Iterable[bytes]) -> None:
        """Find all names of some datasets, and of each the one that it is shown by."""
        new = frontier = {name for name in names if name not in self._class}
        for name in new:
            self._class[name] = [name]
        while frontier:
            frontier = self._join(self._reader.aliases(frontier))
        joined = {id(members): members for name in new if len(members := self._class[name]) > 1}
        members_of_all = {name for members in joined.values() for name in members}
        names_of_all = self._reader.dataset_names(members_of_all) if joined else {}
        unknown = {key for key, name in names_of_all.items() if is_unknown(name.namespace)}
        for members in joined.values():
            self._choose(members, unknown)

    def chosen(self, name: bytes) -> bytes:
        """The name that stands for a dataset; itself where nothing else is known."""
        return self._chosen.get(name, name)

    def names(self, chosen: bytes) -> list[bytes]:
        return self._class.get(chosen, [chosen])

    def _join(self, aliases: list[Alias]) -> set[bytes]:
        """Join what aliases say is one; gives the names not met before."""
        found: set[bytes] = set()
        for one, other in sorted(self._joined_pairs(aliases)):
            for name in (one, other):
                if name not in self._class:
                    self._class[name] = [name]
                    found.add(name)
            kept, added = self._class[one], self._class[other]
            if kept is added:
                continue
            if len(kept) + len(added) > MOST_NAMES:
                self.is_cut = True
                continue
            if len(kept) < len(added):
                kept, added = added, kept
            kept += added
            for name in added:
                self._class[name] = kept
        return found

    def _joined_pairs(self, aliases: list[Alias]) -> list[tuple[bytes, bytes]]:
        stated: defaultdict[tuple[bytes, bytes], list[Alias]] = defaultdict(list)
        for alias in aliases:
            one, other = sorted((alias.dataset, alias.other))
            if one != other:
                stated[one, other].append(alias)
        located = {
            name for pair, words in stated.items() if _is_by_location(words) for name in pair
        }
        names = self._reader.dataset_names(located) if located else {}
        return [
            pair
            for pair, words in stated.items()
            if _is_joined(words) or (_is_by_location(words) and _are_places(pair, names))
        ]

    def _choose(self, members: list[bytes], unknown: set[bytes]) -> None:
        """The name that events use, first used first; aliases only mention the others.

        One whose producer did not know where the dataset is stands for none that has another.
        """
        used = self._reader.first_used(members)
        chosen = min(
            members,
            key=lambda name: (name not in used, name in unknown, used.get(name, 0), name),
        )
        for name in members:
            self._chosen[name] = chosen


def _is_joined(words: list[Alias]) -> bool:
    """The newest edit counts; without one, that an event names it as a table."""
    persons = [alias for alias in words if alias.voice == Authority.PERSON]
    if persons:
        newest = max(persons, key=lambda alias: (alias.joined_at or 0, alias.joined or 0))
        return newest.joined != Joined.CUT
    return any(alias.joined == Joined.TABLE for alias in words)


def _is_by_location(words: list[Alias]) -> bool:
    return all(alias.voice == Authority.EVENT for alias in words) and any(
        alias.joined == Joined.LOCATION for alias in words
    )


def _are_places(pair: tuple[bytes, bytes], names: dict[bytes, Name]) -> bool:
    """Whether both are places of their own: many tables lie under the root of a bucket."""
    return all(name in names and names[name].name.strip("/") for name in pair)
