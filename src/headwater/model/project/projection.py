"""An event on its way to facts: what the steps of the projection share."""

from collections.abc import Callable

from headwater.model.event import Event, Facets, Job, Run
from headwater.model.facet_readers import Facet, NamedDataset, Parent, read_facet, read_job_facet
from headwater.model.facts import Facts
from headwater.model.project.same_runs import SYSTEM_FACETS, find_same_run, join_parents
from headwater.model.relations import EventRow, FacetRow, Slot
from headwater.model.values.ids import NO_CONTENT, author_id, job_id, run_key
from headwater.model.values.stamp import stamp_of

NOBODY = bytes(16)
NO_JOB = bytes(16)

# Facets that are words about a thing: two producers may differ, and both are kept.
_AUTHORED = frozenset(("documentation", "ownership", "tags"))


class Projection:
    """The event, the ids it is about, and the facts so far."""

    __slots__ = (
        "at",
        "author",
        "event",
        "facts",
        "job",
        "job_facets",
        "parent",
        "reported_run",
        "run",
        "run_facets",
        "stamp",
    )

    def __init__(self, event: Event, received_at: int) -> None:
        self.event = event
        self.facts = Facts()
        self.at = event.at
        self.stamp = stamp_of(event.at, event.type)
        self.author = author_id(event.producer)
        job, run = event.job, event.run
        self.job = None if job is None else job_id(job.namespace, job.name)
        self.run: bytes | None = None
        self.reported_run: bytes | None = None
        self.job_facets = _read(job.facets, read_job_facet) if job else {}
        self.run_facets = _read(run.facets, read_facet) if run else {}
        self.parent: Parent | None = None
        if job is not None and run is not None:
            self._find_runs(job, run)
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

    def _find_runs(self, job: Job, run: Run) -> None:
        """The run that the event is of, and those above it."""
        facets = self.run_facets
        bodies = {name: facets[name].body for name in SYSTEM_FACETS if name in facets}
        self.reported_run = run_key(job.namespace, job.name, run.runId)
        self.run = find_same_run(job.namespace, job.name, bodies) or self.reported_run
        stated = facets.get("parent")
        parent: Parent | None = stated.meaning if stated else None
        self.parent = join_parents(parent, job.name, self.job_facets.get("jobType"), bodies)

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
        if name == "lineage" and slot == Slot.DATASET:
            # By which inputs: each job that writes a dataset has its own.
            author = self.job or NOBODY
        self.facts.add("facet", FacetRow(owner, slot, name, author, self.keep(facet), self.stamp))


def _read(facets: Facets | None, read: Callable[[str, bytes], Facet | None]) -> dict[str, Facet]:
    """Read all facets of one owner; a JSON null is ignored."""
    found = ((name, read(name, bytes(raw))) for name, raw in (facets or {}).items())
    return {name: facet for name, facet in found if facet is not None}
