"""What is known of all jobs and datasets at any moment: kept in memory, in the order it is shown.

Every answer is read off here in the time that what is shown takes, however much there is.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from headwater.store.query.paging import Page

# Greater than any name.
_LAST = "\U0010ffff"
# Notes of when to judge again: those that no longer count are cleared out once they are the most.
_FEW_NOTES = 1_000
# So many things that were seen again are moved in the order of time; with more, it is made anew.
_FEW_MOVED = 300
_NEVER = -1


class JobEntry(NamedTuple):
    system: str
    is_running: bool
    first_seen: int


class HealthStates:
    """Ids by the state that their health is in, each state in the order of names."""

    def __init__(self, states: Iterable[str]) -> None:
        self._lists: dict[str, list[tuple[str, str, bytes]]] = {state: [] for state in states}
        self._known: dict[bytes, tuple[str, str, str]] = {}
        self._is_sorted = False

    def put(self, id: bytes, state: str, namespace: str, name: str) -> None:
        known = (state, namespace, name)
        if self._known.get(id) == known:
            return
        self.drop(id)
        self._known[id] = known
        if self._is_sorted:
            insort(self._lists[state], (namespace, name, id))
        else:
            self._lists[state].append((namespace, name, id))

    def drop(self, id: bytes) -> None:
        if (known := self._known.pop(id, None)) is not None:
            state, namespace, name = known
            listed = self._lists[state]
            entry = (namespace, name, id)
            del listed[bisect_left(listed, entry) if self._is_sorted else listed.index(entry)]

    def sort(self) -> None:
        """Sort what was put in any order; from now on the order is kept."""
        for listed in self._lists.values():
            listed.sort()
        self._is_sorted = True

    def counts(self, namespace: str) -> dict[str, int]:
        spans = {state: _span(listed, namespace) for state, listed in self._lists.items()}
        return {state: end - start for state, (start, end) in spans.items()}

    def page(self, requested: set[str], namespace: str, page: Page) -> list[bytes]:
        """Ids in states, worst first, then by name."""
        found: list[bytes] = []
        skipped = page.offset
        for state, listed in self._lists.items():
            if state in requested:
                start, end = _span(listed, namespace)
                first = min(start + skipped, end)
                skipped -= first - start
                last = min(end, first + page.limit - len(found))
                found += [id for _, _, id in listed[first:last]]
        return found


def _descending(entry: tuple[int, bytes]) -> tuple[int, int]:
    """A key by which what is sorted in reverse is in order."""
    at, id = entry
    return -at, -int.from_bytes(id)


def _span(listed: Sequence[tuple[str, str, bytes]], namespace: str) -> tuple[int, int]:
    if not namespace:
        return 0, len(listed)
    start = bisect_left(listed, (namespace, "", b""))
    return start, bisect_left(listed, (namespace, _LAST, b""), start)


class Overview:
    """All of it; changed by one thread at a time."""

    def __init__(self, job_states: Iterable[str], dataset_states: Iterable[str]) -> None:
        self.jobs = HealthStates(job_states)
        self.datasets = HealthStates(dataset_states)
        self.namespaces: dict[str, tuple[int, int]] = {}
        self.systems: Counter[str] = Counter()
        self.running: Counter[str] = Counter()
        self._jobs: dict[bytes, JobEntry] = {}
        self._first_seen: dict[bytes, int] = {}
        self._times: dict[str, list[int] | None] = {"job": None, "dataset": None}
        self._last_seen: dict[bytes, int] = {}
        self._newest: list[tuple[int, bytes]] | None = None
        # What was seen again since that was put in order, with the time it has there.
        self._moved: dict[bytes, int] = {}
        self._due: dict[bytes, int] = {}
        self._heap: list[tuple[int, bytes]] = []

    def put_job(self, id: bytes, job: JobEntry) -> None:
        known, times = self._jobs.get(id), self._times["job"]
        if known == job:
            return
        self.drop_job(id)
        self._jobs[id] = job
        self.systems[job.system] += 1
        self.running[job.system] += job.is_running
        is_as_old = known is not None and known.first_seen == job.first_seen
        self._times["job"] = times if is_as_old else None

    def drop_job(self, id: bytes) -> None:
        if (job := self._jobs.pop(id, None)) is not None:
            self.systems[job.system] -= 1
            self.running[job.system] -= job.is_running
            self._times["job"] = None

    def newest(self) -> list[tuple[int, bytes]]:
        """When each job and dataset was last seen, the newest first; what is given stays as it is.

        It is put in order once; what was seen again since is moved, unless that is much.
        """
        if self._newest is None or len(self._moved) > _FEW_MOVED:
            self._newest = sorted(((at, id) for id, at in self._last_seen.items()), reverse=True)
        elif self._moved:
            ordered = self._newest.copy()
            for id, at in self._moved.items():
                if at != _NEVER:
                    del ordered[bisect_left(ordered, _descending((at, id)), key=_descending)]
                insort(ordered, (self._last_seen[id], id), key=_descending)
            self._newest = ordered
        self._moved.clear()
        return self._newest

    def see(self, id: bytes, last_seen: int) -> None:
        known = self._last_seen.get(id, _NEVER)
        if last_seen > known:
            self._last_seen[id] = last_seen
            if self._newest is not None and len(self._moved) <= _FEW_MOVED:
                self._moved.setdefault(id, known)

    def see_dataset(self, id: bytes, first_seen: int) -> None:
        known = self._first_seen.get(id)
        if known is None or first_seen < known:
            self._first_seen[id] = first_seen
            self._times["dataset"] = None

    def see_namespace(self, name: str, first_seen: int, last_seen: int) -> None:
        first, last = self.namespaces.get(name, (first_seen, last_seen))
        self.namespaces[name] = min(first, first_seen), max(last, last_seen)

    def job_times(self) -> list[int]:
        """When each job was first seen, in order."""
        times = self._times["job"]
        if times is None:
            times = self._times["job"] = sorted(job.first_seen for job in self._jobs.values())
        return times

    def dataset_times(self, without: Iterable[bytes]) -> list[int]:
        """When each dataset was first seen, in order, but for some."""
        times = self._times["dataset"]
        if times is None:
            times = self._times["dataset"] = sorted(self._first_seen.values())
        left_out = {id for id in without if id in self._first_seen}
        if not left_out:
            return times
        less = Counter(self._first_seen[id] for id in left_out)
        kept = []
        for time in times:
            if less[time]:
                less[time] -= 1
            else:
                kept.append(time)
        return kept

    def judge_again(self, id: bytes, at: int | None) -> None:
        """Note when time alone may change how something is judged; the last note counts."""
        if at is None:
            self._due.pop(id, None)
        elif self._due.get(id) != at:
            self._due[id] = at
            heappush(self._heap, (at, id))
            if len(self._heap) > 2 * len(self._due) + _FEW_NOTES:
                # Each event of a job moves the time at which it is late: those before would wait
                # for theirs, a day or more, and be more than all else that is kept here.
                self._heap = [(at, id) for id, at in self._due.items()]
                heapify(self._heap)

    @property
    def notes(self) -> int:
        """How many notes of when to judge again are kept."""
        return len(self._heap)

    def take_due(self, now: int, most: int) -> set[bytes]:
        """Some of what is to be judged again by now."""
        found: set[bytes] = set()
        while self._heap and self._heap[0][0] <= now and len(found) < most:
            at, id = heappop(self._heap)
            if self._due.get(id) == at:
                del self._due[id]
                found.add(id)
        return found
