"""What is to be reported of a pass: what is new, what has changed, what is gone; no I/O."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from headwater.collect.confluent.describe import extraction
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenJob,
    dataset_event,
    drop_event,
    end_event,
    job_event,
    run_id,
)
from headwater.collect.confluent.state import KnownItem
from headwater.collect.confluent.translate import TranslatedAccount
from headwater.model.confluent.job_kinds import EXTRACTION, kind_of
from headwater.model.naming import DatasetName

Json = dict[str, Any]


class AccountChange(NamedTuple):
    """An event, how users name what it is of, and what is known once it is delivered."""

    key: str
    label: str
    event: Json
    known: KnownItem


class PassChanges:
    """Compares a pass with what was reported; `skipped` counts what is as it was."""

    def __init__(
        self,
        account: TranslatedAccount,
        known: Mapping[str, KnownItem],
        since: int,
        refresh: int,
        at: int,
    ) -> None:
        """`refresh` is after how many microseconds what changes all the time is reported again."""
        self._account = account
        self._known = known
        self._since = since
        self._refresh = refresh
        self._at = at
        self._seen: set[str] = set()
        self.skipped = 0

    def __iter__(self) -> Iterator[AccountChange]:
        for observation in self._account.observations():
            self._seen.add(observation.key)
            change = self._compare(observation)
            if change is not None:
                yield change
        yield from self._gone()

    def _compare(self, observation: Observation) -> AccountChange | None:
        before = self._known.get(observation.key)
        digest = observation.digest
        if _says_nothing(observation, before):
            return None
        is_same = before is not None and before.digest == digest
        is_due = bool(observation.seen.lively) and (
            before is None or self._at - before.at >= self._refresh
        )
        if is_same and not is_due:
            self.skipped += 1
            return None
        return self._change(observation, before, digest, is_same)

    def _change(
        self, observation: Observation, before: KnownItem | None, digest: str, is_same: bool
    ) -> AccountChange:
        seen = observation.seen
        at = self._at if before is None else max(self._at, before.at + 1)
        turn = 0 if before is None else before.turn + (0 if is_same else 1)
        job_type, run = "", ""
        if isinstance(seen, SeenJob):
            job_type, run = seen.kind.job_type, run_id(seen, digest, f"{self._since} {turn}")
            event = job_event(seen, run, self._account.facets, at)
        else:
            is_back = before is not None and not before.digest
            event = dataset_event(seen, at)
            event["dataset"]["facets"] |= _created() if is_back else {}
        known = KnownItem(
            *seen.name, observation.place, observation.part, digest, at, turn, job_type, run
        )
        return AccountChange(observation.key, observation.label, event, known)

    def _gone(self) -> Iterator[AccountChange]:
        """What a part that was read whole no longer has."""
        done = self._account.done()
        for key, before in sorted(self._known.items()):
            is_missing = before.digest and key not in self._seen
            if not (is_missing and self._is_gone(before, done)):
                continue
            at = max(self._at, before.at + 1)
            name = DatasetName(before.namespace, before.name)
            if before.job_type:
                event = end_event(kind_of(before.job_type), name, before.run, at)
            else:
                event = drop_event(name, at)
            known = KnownItem(
                *name, before.place, before.part, "", at, before.turn, before.job_type, before.run
            )
            yield AccountChange(key, f"{name.namespace}/{name.name}", event, known)

    def _is_gone(self, before: KnownItem, done: set[tuple[str, str]]) -> bool:
        """Whether the part that showed it was read, or its whole cluster is no longer listed."""
        if (before.place, before.part) in done:
            return True
        environment, _, cluster = before.place.partition("/")
        listed = self._account.lists_clusters(environment)
        return bool(cluster) and listed is not None and cluster not in listed


def _says_nothing(observation: Observation, before: KnownItem | None) -> bool:
    """An extraction without gaps is news only after one that had some."""
    seen = observation.seen
    is_extraction = isinstance(seen, SeenJob) and seen.kind is EXTRACTION
    had_none = before is None or observation.part != extraction.PART
    return is_extraction and isinstance(seen, SeenJob) and not seen.gaps and had_none


def _created() -> Json:
    facet = PRODUCER.facet("LifecycleStateChangeDatasetFacet", lifecycleStateChange="CREATE")
    return {"lifecycleStateChange": facet}
