"""An event on its way to facts: what the steps of the projection share."""

from headwater.model.event import Event
from headwater.model.facts import Facts
from headwater.model.ids import NO_CONTENT, author_id, job_id, run_key
from headwater.model.relations import EventRow, FacetRow, Slot
from headwater.model.stamp import stamp_of
from headwater.model.understand import Facet, NamedDataset, Parent, read_facet, read_job_facet

NOBODY = bytes(16)
NO_JOB = bytes(16)

# Facets that are words about a thing: two producers may differ, and both are kept.
_AUTHORED = frozenset(("documentation", "ownership", "tags"))


class Projection:
    """The event, the ids it is about, and the facts so far."""

    __slots__ = ("at", "author", "event", "facts", "job", "parent", "run", "stamp")

    def __init__(self, event: Event, received_at: int) -> None:
        self.event = event
        self.facts = Facts()
        self.at = event.at
        self.stamp = stamp_of(event.at, event.type)
        self.author = author_id(event.producer)
        job, run = event.job, event.run
        self.job = None if job is None else job_id(job.namespace, job.name)
        self.run = None
        if job is not None and run is not None:
            self.run = run_key(job.namespace, job.name, run.runId)
        self.parent = self._parent()
        self.facts.rows["event"] = [
            EventRow(
                event.at,
                event.digest,
                received_at,
                event.kind,
                event.type,
                self.job,
                self.run,
                event.raw,
            )
        ]

    def name(self, dataset: NamedDataset) -> None:
        """Give a dataset's id its name, even if it is only named inside a facet."""
        self.facts.names[dataset.id] = dataset

    def keep(self, facet: Facet) -> bytes:
        """Keep a facet's content and refer to it."""
        if facet.digest != NO_CONTENT:
            self.facts.contents[facet.digest] = facet
        return facet.digest

    def add_facet(self, owner: bytes, slot: Slot, name: str, facet: Facet) -> None:
        author = self.author if name in _AUTHORED else NOBODY
        self.facts.add("facet", FacetRow(owner, slot, name, author, self.keep(facet), self.stamp))

    def job_facet(self, name: str) -> Facet | None:
        """The event's own job facet of that name."""
        facets = self.event.job.facets if self.event.job else None
        if facets is None or (raw := facets.get(name)) is None:
            return None
        return read_job_facet(name, bytes(raw))

    def run_facet(self, name: str) -> Facet | None:
        """The event's own run facet of that name."""
        facets = self.event.run.facets if self.event.run else None
        if facets is None or (raw := facets.get(name)) is None:
            return None
        return read_facet(name, bytes(raw))

    def _parent(self) -> Parent | None:
        facet = self.run_facet("parent")
        return None if facet is None else facet.meaning
