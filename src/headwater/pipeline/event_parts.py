"""Leaving parts of events out before they are taken in: edges, owners, tags.

What is left out is gone from the event that is stored, so that a rebuild gives the same graph; and
a run whose edges are left out reports a gap, so that its lineage does not look complete.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from headwater.emit.events import Producer
from headwater.emit.gaps import FACET, GapEntry, gaps_facets

PRODUCER = Producer.of_part("pipeline")
# Of datasets, and of the datasets that an event uses: they name other datasets.
_LINEAGE_FACETS = ("columnLineage", "lineage")
_OWNER_FACETS = ("ownership",)
_TAG_FACETS = ("tags",)


@dataclass(frozen=True)
class KeptParts:
    """What is kept of events; `name` is who leaves the rest out."""

    lineage: bool = True
    owners: bool = True
    tags: bool = True
    name: str = ""

    @property
    def are_all(self) -> bool:
        return self.lineage and self.owners and self.tags

    def select(self, data: bytes) -> bytes:
        """An event without what is left out; as it came where nothing is, or where it is none."""
        if self.are_all:
            return data
        try:
            event = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # Refused by whoever reads it next, with the reason.
            return data
        if not isinstance(event, dict) or not self._remove(event):
            return data
        return msgspec.json.encode(event)

    def _remove(self, event: dict[str, Any]) -> bool:
        is_changed = self._remove_facets(event)
        if not self.lineage:
            is_changed = self._remove_edges(event) or is_changed
        return is_changed

    def _remove_edges(self, event: dict[str, Any]) -> bool:
        used = [side for side in ("inputs", "outputs") if event.get(side)]
        for side in used:
            event[side] = []
        if used and isinstance(run := event.get("run"), dict):
            _add_gap(run, self.name)
        return bool(used)

    def _remove_facets(self, event: dict[str, Any]) -> bool:
        left_out = [] if self.owners else [*_OWNER_FACETS]
        left_out += [] if self.tags else [*_TAG_FACETS]
        of_datasets = left_out + ([] if self.lineage else [*_LINEAGE_FACETS])
        datasets = [event.get("dataset"), *_items(event, "inputs"), *_items(event, "outputs")]
        removed = [_drop(each, of_datasets) for each in datasets]
        removed += [_drop(event.get(side), left_out) for side in ("job", "run")]
        return any(removed)


def _items(event: dict[str, Any], side: str) -> list[Any]:
    found = event.get(side)
    return found if isinstance(found, list) else []


def _drop(owner: Any, names: list[str]) -> bool:
    """Remove facets of a job, a run or a dataset; returns whether there were any."""
    facets = owner.get("facets") if isinstance(owner, dict) else None
    if not isinstance(facets, dict):
        return False
    removed = [name for name in names if facets.pop(name, None) is not None]
    return bool(removed)


def _add_gap(run: dict[str, Any], name: str) -> None:
    """Note among a run's own gaps that its datasets are left out."""
    description = f"the ingestion {name} leaves datasets out (includeLineage: false)"
    entry = GapEntry("other", "inputs and outputs", description)
    facets = run.get("facets")
    if not isinstance(facets, dict):
        facets = run["facets"] = {}
    own = facets.get(FACET)
    if isinstance(own, dict) and isinstance(own.get("gaps"), list):
        own["gaps"].append(entry._asdict())
    else:
        facets.update(gaps_facets(PRODUCER, [entry]))
