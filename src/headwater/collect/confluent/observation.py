"""What a pass sees of one job or dataset: as an event, and the digest of its state."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from headwater.emit.events import COMPLETE_SNAPSHOTS, Producer
from headwater.emit.gaps import GapEntry, gaps_facets
from headwater.model.confluent.job_kinds import INTEGRATION, JobKind
from headwater.model.naming import DatasetName

Json = dict[str, Any]
# What is known of a dataset, whatever job uses it.
FindFacets = Callable[[DatasetName], Json]

PRODUCER = Producer.of_part("collect/confluent")


class UsedDataset(NamedTuple):
    """A dataset of a job, with the facets that the job gives it."""

    name: DatasetName
    facets: Json = {}


class SeenJob(NamedTuple):
    """A job as it is; `lively` are facets that change all the time and are no news by themselves.

    `error` is why it failed, where it did.
    """

    kind: JobKind
    name: DatasetName
    facets: Json
    inputs: Sequence[UsedDataset] = ()
    outputs: Sequence[UsedDataset] = ()
    gaps: Sequence[GapEntry] = ()
    error: str | None = None
    lively: Json = {}
    is_batch: bool = False


class SeenDataset(NamedTuple):
    """A dataset as it is; `lively` are values of its facets that are no news by themselves."""

    name: DatasetName
    facets: Json
    lively: Mapping[str, Json] = {}
    unread: frozenset[str] = frozenset()
    """Facets that lack something, as a part of the pass could not be read."""


class Observation(NamedTuple):
    """Something that was seen, and the part of the pass that showed it."""

    place: str
    """Where it was seen: an environment, or a cluster in one."""
    part: str
    seen: SeenJob | SeenDataset
    is_without_schemas: bool = False
    """Whether the columns of a job's topics could not be read."""

    @property
    def key(self) -> str:
        """What tells it from all others."""
        kind = "job" if isinstance(self.seen, SeenJob) else "dataset"
        return f"{kind} {self.seen.name.namespace} {self.seen.name.name}"

    @property
    def label(self) -> str:
        """How users name it."""
        name = self.seen.name
        return f"{name.namespace}/{name.name}"


def digest_of(seen: SeenJob | SeenDataset) -> str:
    """What something is the same by, whenever it is looked at."""
    if isinstance(seen, SeenDataset):
        return _digest(seen.facets)
    used = [[*seen.inputs], [*seen.outputs]]
    return _digest([seen.kind.job_type, seen.facets, used, seen.gaps, seen.error])


def outline_of(seen: SeenJob) -> str:
    """What a job is the same by, whatever is known of its topics."""
    used = [[each.name for each in some] for some in (seen.inputs, seen.outputs)]
    return _digest([seen.kind.job_type, seen.facets, used, seen.error])


def facet_digests(seen: SeenDataset) -> dict[str, str]:
    """What each facet of a dataset is the same by."""
    return {name: _digest(body)[:12] for name, body in seen.facets.items()}


def dataset_event(seen: SeenDataset, at: int) -> Json:
    """A dataset as it was seen, with what changes all the time."""
    facets = {name: {**body, **seen.lively.get(name, {})} for name, body in seen.facets.items()}
    return PRODUCER.dataset_event({**seen.name._asdict(), "facets": facets}, at)


def job_event(seen: SeenJob, run: str, datasets: FindFacets, at: int) -> Json:
    """A job as it was seen; topics have what is known of them beside what the job says."""
    run_facets = gaps_facets(PRODUCER, seen.gaps)
    if seen.error is not None:
        run_facets["errorMessage"] = PRODUCER.error(seen.error, "JAVA")
    processing = "BATCH" if seen.is_batch else "STREAMING"
    job_type = PRODUCER.job_type(processing, INTEGRATION, seen.kind.job_type, COMPLETE_SNAPSHOTS)
    job = {
        **seen.name._asdict(),
        "facets": {"jobType": job_type, **seen.facets, **seen.lively},
    }
    return PRODUCER.run_event(
        "COMPLETE" if seen.error is None else "FAIL",
        job,
        {"runId": run, "facets": run_facets},
        list(_datasets(seen.inputs, datasets)),
        list(_datasets(seen.outputs, datasets)),
        at=at,
    )


def removed_facet(name: str) -> Json:
    """What says that a facet is no more: one that is only left out stays as it was."""
    if name == "tags":
        return PRODUCER.facet("TagsDatasetFacet", tags=[])
    return PRODUCER.custom_facet(_deleted=True)


def end_event(kind: JobKind, name: DatasetName, run: str, at: int) -> Json:
    """The end of a job that is no longer there."""
    job_type = PRODUCER.job_type("STREAMING", INTEGRATION, kind.job_type, COMPLETE_SNAPSHOTS)
    job = {**name._asdict(), "facets": {"jobType": job_type}}
    return PRODUCER.run_event("ABORT", job, {"runId": run, "facets": {}}, at=at)


def drop_event(name: DatasetName, at: int) -> Json:
    """The end of a dataset that is no longer there."""
    dropped = PRODUCER.facet("LifecycleStateChangeDatasetFacet", lifecycleStateChange="DROP")
    facets = {"lifecycleStateChange": dropped}
    return PRODUCER.dataset_event({**name._asdict(), "facets": facets}, at)


def run_id(seen: SeenJob, digest: str, turn: str) -> str:
    """The run of one state of a job; `turn` tells apart the times that it was in that state."""
    text = "\n".join((seen.kind.job_type, *seen.name, digest, turn))
    return str(uuid.uuid5(uuid.NAMESPACE_URL, text))


def lineage_facet(inputs: Iterable[DatasetName]) -> Json:
    """The inputs that one output comes from, of all inputs of its job."""
    named = [{**each._asdict(), "type": "DATASET"} for each in inputs]
    return {"lineage": PRODUCER.facet("LineageFacet", inputs=named)}


def _datasets(used: Sequence[UsedDataset], known: FindFacets) -> Iterator[Json]:
    for each in used:
        yield {**each.name._asdict(), "facets": {**known(each.name), **each.facets}}


def _digest(value: Any) -> str:
    return sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:32]
