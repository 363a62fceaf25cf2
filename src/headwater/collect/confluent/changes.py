"""What is to be reported of a pass: what is new, what has changed, what is gone; no I/O."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from headwater.collect.confluent.describe import extraction
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenDataset,
    SeenJob,
    dataset_event,
    digest_of,
    drop_event,
    end_event,
    facet_digests,
    job_event,
    outline_of,
    removed_facet,
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
        if _says_nothing(observation, before):
            return None
        if before is not None and before.digest:
            observation = _without_unread(observation)
        digest = digest_of(observation.seen)
        is_same = before is not None and _is_same(observation, digest, before)
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
        known = KnownItem(*seen.name, observation.place, observation.part, digest, at, turn)
        if isinstance(seen, SeenJob):
            run = run_id(seen, digest, f"{self._since} {turn}")
            event = job_event(seen, run, self._account.facets, at)
            job = {"job_type": seen.kind.job_type, "run": run, "outline": outline_of(seen)}
            known = msgspec.structs.replace(known, **job)
        else:
            facets = facet_digests(seen)
            event = dataset_event(seen, at)
            event["dataset"]["facets"] |= _differences(seen, before)
            kept = _kept(seen, before)
            known = msgspec.structs.replace(known, facets={**kept, **facets})
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
        if self._account.leaves_out(before.namespace):
            return False
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


def _without_unread(observation: Observation) -> Observation:
    """Without the facets that lack something: what was reported of them stands."""
    seen = observation.seen
    if isinstance(seen, SeenJob) or not seen.unread:
        return observation
    facets = {name: body for name, body in seen.facets.items() if name not in seen.unread}
    lively = {name: body for name, body in seen.lively.items() if name in facets}
    return observation._replace(seen=seen._replace(facets=facets, lively=lively))


def _is_same(observation: Observation, digest: str, before: KnownItem) -> bool:
    seen = observation.seen
    if isinstance(seen, SeenJob):
        is_alike = observation.is_without_schemas and before.outline == outline_of(seen)
        return before.digest == digest or (is_alike and bool(before.digest))
    read = {name: each for name, each in before.facets.items() if name not in seen.unread}
    return bool(before.digest) and facet_digests(seen) == read


def _kept(seen: SeenDataset, before: KnownItem | None) -> dict[str, str]:
    """The facets that are left as they were reported."""
    known = before.facets if before is not None else {}
    return {name: each for name, each in known.items() if name in seen.unread}


def _differences(seen: SeenDataset, before: KnownItem | None) -> Json:
    """What a dataset no longer has, and that it is there again."""
    if before is None:
        return {}
    if not before.digest:
        again = PRODUCER.facet("LifecycleStateChangeDatasetFacet", lifecycleStateChange="CREATE")
        return {"lifecycleStateChange": again}
    gone = before.facets.keys() - seen.facets.keys() - seen.unread
    return {name: removed_facet(name) for name in sorted(gone)}
