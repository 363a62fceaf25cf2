"""What else must be so of what a search finds: its system, a tag, its job's state, when it was."""

from typing import NamedTuple

from sqlalchemy import Connection

from headwater.model.aspects import JOB_TYPE
from headwater.model.relations import Slot
from headwater.model.run_states import state_of
from headwater.model.search_text import TermSource
from headwater.model.systems import system_of_dataset, system_of_job
from headwater.model.uses import NOW
from headwater.store.lineage.newest_runs import read_newest_runs
from headwater.store.read.facets import NO_FIELDS, read_facet_fields
from headwater.store.read.owners import read_owners
from headwater.store.search.results import SearchHit, read_times

_TAGS = "tags"


class Filters(NamedTuple):
    """Conditions, as far as they are requested; times are of a thing's last event."""

    system: str | None = None
    tag: str | None = None
    state: str | None = None
    before: int | None = None
    after: int | None = None
    owner: str | None = None

    def keep(self, connection: Connection, found: list[SearchHit]) -> list[SearchHit]:
        """What of some things is as requested; what is cheap to decide is decided first."""
        if self.state is not None:
            found = _of_state(connection, found, self.state)
        if self.before is not None or self.after is not None:
            found = self._of_time(connection, found)
        if self.system is not None:
            found = _of_system(connection, found, self.system.lower())
        if self.tag is not None:
            found = _of_tag(connection, found, self.tag.lower())
        if self.owner is not None:
            found = _of_owner(connection, found, self.owner.lower())
        return found

    def _of_time(self, connection: Connection, found: list[SearchHit]) -> list[SearchHit]:
        times = read_times(connection, found)
        return [
            each
            for each in found
            if (time := times.get(each.id)) is not None
            and (self.before is None or time < self.before)
            and (self.after is None or time > self.after)
        ]


def _of_state(connection: Connection, found: list[SearchHit], state: str) -> list[SearchHit]:
    """Jobs whose newest run is in a state."""
    jobs = [each for each in found if each.kind == TermSource.JOB]
    runs = read_newest_runs(connection, (job.id for job in jobs), NOW)
    states = {id: state_of(run)[0] for id, run in runs.items()}
    return [job for job in jobs if states.get(job.id) == state.upper()]


def _of_system(connection: Connection, found: list[SearchHit], system: str) -> list[SearchHit]:
    jobs = [each.id for each in found if each.kind == TermSource.JOB]
    types = read_facet_fields(connection, jobs, Slot.JOB, (JOB_TYPE,))

    def system_of(each: SearchHit) -> str:
        if each.kind == TermSource.DATASET:
            return system_of_dataset(each.namespace)
        stated = types.get(each.id, NO_FIELDS).by_facet.get(JOB_TYPE, {})
        return system_of_job(stated.get("integration"), each.namespace)

    return [each for each in found if system_of(each) == system]


def _of_owner(connection: Connection, found: list[SearchHit], owner: str) -> list[SearchHit]:
    """What an owner has; named without regard to case."""
    owned: set[bytes] = set()
    for kind, slot in ((TermSource.DATASET, Slot.DATASET), (TermSource.JOB, Slot.JOB)):
        ids = [each.id for each in found if each.kind == kind]
        for id, names in read_owners(connection, ids, slot).items():
            if owner in map(str.lower, names):
                owned.add(id)
    return [each for each in found if each.id in owned]


def _of_tag(connection: Connection, found: list[SearchHit], tag: str) -> list[SearchHit]:
    """What has a tag, itself or on one of its fields; a tag is named without regard to case."""
    tagged: set[bytes] = set()
    for kind, slot in ((TermSource.DATASET, Slot.DATASET), (TermSource.JOB, Slot.JOB)):
        ids = [each.id for each in found if each.kind == kind]
        for id, fields in read_facet_fields(connection, ids, slot, (_TAGS,)).items():
            listed = fields.by_facet.get(_TAGS, {}).get("tags")
            names = {
                str(each.get("key")).lower()
                for each in (listed if isinstance(listed, list) else ())
                if isinstance(each, dict)
            }
            if tag in names:
                tagged.add(id)
    return [each for each in found if each.id in tagged]
