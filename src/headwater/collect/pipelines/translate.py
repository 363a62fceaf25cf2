"""Pipelines as jobs: of each source, of each transform, and of what reaches a destination; no
I/O."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from headwater.collect.pipelines.connectors import (
    connector_config,
    source_prefix,
    with_table_names,
)
from headwater.collect.pipelines.form import End, Pipeline, Transform, transforms_of
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry, all_gaps_facets
from headwater.model.connect.connector_secrets import without_secrets
from headwater.model.connect.connector_templates import Row
from headwater.model.connect.connectors import Described, External, describe
from headwater.model.naming import DatasetName, kafka

Json = dict[str, Any]
PRODUCER = Producer.of_part("collect/pipelines")


class Naming(NamedTuple):
    """How jobs and topics are named, and rows for connectors of a user's own."""

    namespace: str
    bootstrap: str
    prefix: str = ""
    rows: Sequence[Row] = ()
    by_last_part: bool = True
    """Whether tables of a destination have the last part of their topics' names."""

    def topic(self, name: str) -> DatasetName:
        is_whole = not self.prefix or name.startswith(self.prefix)
        return kafka(self.bootstrap, name if is_whole else self.prefix + name)


class ListedJob(NamedTuple):
    """A job as an event without its time, and the digest by which changes are known."""

    kind: str
    id: str
    name: str
    job: Json
    inputs: list[Json]
    outputs: list[Json]

    @property
    def digest(self) -> str:
        return _digest([self.job, self.inputs, self.outputs])

    def event(self, at: int) -> Json:
        return PRODUCER.job_event(self.job, self.inputs, self.outputs, at=at)


class Translation(NamedTuple):
    jobs: dict[str, ListedJob]
    gaps: list[GapEntry]


def translate(
    naming: Naming, pipelines: Iterable[Pipeline], problems: Iterable[str]
) -> Translation:
    """The jobs of all pipelines by their names, and what was not understood of them."""
    gaps = [GapEntry("other", "list", problem) for problem in problems]
    found: dict[tuple[str, str], ListedJob] = {}
    for pipeline in pipelines:
        for job in _jobs_of(naming, pipeline, gaps):
            place = (job.kind, job.id or job.name)
            if place in found and job.kind == "SINK":
                reason = "Several pipelines have this name and no id: they are shown as one job."
                gaps.append(GapEntry("other", job.name, reason))
            # A source may feed several pipelines, each with some of its topics.
            found[place] = _together(found[place], job) if place in found else job
    return Translation({job.name: job for job in _with_own_names(list(found.values()))}, gaps)


def removal_event(namespace: str, name: str, at: int) -> Json:
    """A job that is not in the list any more: it has neither inputs nor outputs."""
    return PRODUCER.job_event({"namespace": namespace, "name": name, "facets": {}}, at=at)


def gaps_event(place: str, run: str, gaps: Sequence[GapEntry], at: int) -> Json:
    """What was not understood, as gaps of the collector's own job, whose run stays the same."""
    facets = all_gaps_facets(PRODUCER, gaps)
    kind = PRODUCER.job_type("BATCH", "HEADWATER", "COLLECTOR")
    name = f"collect pipelines {place}"
    job = {"namespace": "headwater", "name": name, "facets": {"jobType": kind}}
    return PRODUCER.run_event("COMPLETE", job, {"runId": run, "facets": facets}, at=at)


def gaps_digest(gaps: Sequence[GapEntry]) -> str:
    return _digest(sorted(set(gaps)))


def _with_own_names(jobs: Sequence[ListedJob]) -> Iterator[ListedJob]:
    """Jobs by names of their own: with their kind where a pipeline has the name, or their id."""
    kinds: dict[str, set[str]] = {}
    for job in jobs:
        kinds.setdefault(job.name, set()).add(job.kind)
    counts = Counter((job.kind, job.name) for job in jobs)
    for job in jobs:
        name = job.name
        if job.kind != "SINK" and len(kinds[name]) > 1:
            name = f"{name} {job.kind.lower()}"
        if counts[job.kind, job.name] > 1 and job.id:
            name = f"{name} {job.id}"
        yield job._replace(name=name, job={**job.job, "name": name})


def _jobs_of(naming: Naming, pipeline: Pipeline, gaps: list[GapEntry]) -> Iterator[ListedJob]:
    topics = pipeline.topics or pipeline.source.topics
    if not topics:
        reason = "The list has no topics of this pipeline, so that its ends are not connected."
        gaps.append(GapEntry("input", pipeline.name, reason))
    names = [naming.topic(each) for each in topics]
    yield _source_job(naming, pipeline, names, gaps)
    delivered = list(names)
    for transform in transforms_of(pipeline):
        job = _transform_job(naming, transform)
        if job is None:
            label = transform.name or transform.key
            reason = f"The list does not say what this transform of '{pipeline.name}' does."
            gaps.append(GapEntry("operator", label, reason))
            continue
        read = {naming.topic(each) for each in transform.inputs}
        delivered = [each for each in delivered if each not in read]
        delivered += [naming.topic(each) for each in transform.outputs]
        yield job
    yield _destination_job(naming, pipeline, list(dict.fromkeys(delivered)), gaps)


def _source_job(
    naming: Naming, pipeline: Pipeline, topics: Sequence[DatasetName], gaps: list[GapEntry]
) -> ListedJob:
    source = pipeline.source
    externals = _externals(naming, source, topics, is_source=True, gaps=gaps)
    name = source.name or source.key or f"{pipeline.name} source"
    outputs = [
        _dataset(topic, _feeding(externals, topic.name) if len(externals) > 1 else ())
        for topic in topics
    ]
    job = _job(naming, name, "SOURCE", source.connector)
    inputs = [_dataset(each.name) for each in externals]
    return ListedJob("SOURCE", source.key, name, job, inputs, outputs)


def _transform_job(naming: Naming, transform: Transform) -> ListedJob | None:
    if not transform.inputs or not transform.outputs:
        return None
    name = transform.name or transform.key
    inputs, outputs = (
        [_dataset(naming.topic(each)) for each in some]
        for some in (transform.inputs, transform.outputs)
    )
    job = _job(naming, name, "TRANSFORM", "")
    return ListedJob("TRANSFORM", transform.key, name, job, inputs, outputs)


def _destination_job(
    naming: Naming, pipeline: Pipeline, topics: Sequence[DatasetName], gaps: list[GapEntry]
) -> ListedJob:
    end = pipeline.destination
    externals = _externals(naming, end, topics, is_source=False, gaps=gaps)
    by_name = {topic.name: topic for topic in topics}
    outputs = [
        _dataset(each.name, [by_name[name] for name in each.topics if name in by_name])
        for each in externals
    ]
    job = _job(naming, pipeline.name, "SINK", end.connector)
    if pipeline.description:
        job["facets"]["documentation"] = PRODUCER.facet(
            "DocumentationJobFacet", description=pipeline.description
        )
    if pipeline.owner:
        owners = [{"name": pipeline.owner, "type": "OWNER"}]
        job["facets"]["ownership"] = PRODUCER.facet("OwnershipJobFacet", owners=owners)
    inputs = [_dataset(topic) for topic in topics]
    return ListedJob("SINK", pipeline.key, pipeline.name, job, inputs, outputs)


def _externals(
    naming: Naming,
    end: End,
    topics: Sequence[DatasetName],
    *,
    is_source: bool,
    gaps: list[GapEntry],
) -> Sequence[External]:
    """The tables of a source or a destination, by the rules for its class."""
    side, what = ("input", "source") if is_source else ("output", "destination")
    label = end.name or end.key or end.connector or what
    config = connector_config(end.connector, end.settings, is_source)
    names = [topic.name for topic in topics]
    if not config["connector.class"]:
        reason = f"No class of Kafka Connect is known for the connector '{end.connector}'."
        gaps.append(GapEntry(side, label, reason))  # type: ignore[arg-type]
        return ()
    if is_source:
        found = _describe_source(naming, config, names)
    else:
        config = with_table_names(config, naming.by_last_part)
        found = describe({**config, "topics": ",".join(names)}, names, "sink", naming.rows)
    gaps += [GapEntry(*gap) for gap in found.gaps]  # type: ignore[arg-type]
    if not found.externals:
        reason = f"The settings of the list do not name what this {what} uses."
        gaps.append(GapEntry(side, label, reason))  # type: ignore[arg-type]
    return found.externals


def _describe_source(naming: Naming, config: Mapping[str, str], topics: Sequence[str]) -> Described:
    """What a source reads; by names of topics as the source makes them, with its prefix."""
    prefix = source_prefix(config, naming.prefix)
    by_whole = {
        each if each.startswith(f"{prefix}.") else f"{prefix}.{each}": each for each in topics
    }
    found = describe({**config, "topic.prefix": prefix}, list(by_whole), "source", naming.rows)
    externals = tuple(
        each._replace(topics=tuple(by_whole.get(topic, topic) for topic in each.topics))
        for each in found.externals
    )
    return found._replace(externals=externals)


def _feeding(externals: Iterable[External], topic: str) -> list[DatasetName]:
    return [each.name for each in externals if topic in each.topics]


def _job(naming: Naming, name: str, kind: str, connector: str) -> Json:
    own = {"connector": without_secrets(connector)} if connector else {}
    facets = {
        "jobType": PRODUCER.job_type("STREAMING", "PIPELINE", kind),
        "headwater_pipeline": PRODUCER.custom_facet(**own),
    }
    return {"namespace": naming.namespace, "name": name, "facets": facets}


def _dataset(name: DatasetName, inputs: Sequence[DatasetName] = ()) -> Json:
    """A dataset; with the inputs that it comes from, where its job has others as well."""
    facets: Json = {}
    if inputs:
        named = [{**each._asdict(), "type": "DATASET"} for each in inputs]
        facets["lineage"] = PRODUCER.facet("LineageFacet", inputs=named)
    return {**name._asdict(), "facets": facets}


def _together(one: ListedJob, other: ListedJob) -> ListedJob:
    return one._replace(
        inputs=_joined(one.inputs, other.inputs), outputs=_joined(one.outputs, other.outputs)
    )


def _joined(one: list[Json], other: list[Json]) -> list[Json]:
    found: Mapping[tuple[str, str], Json] = {
        (each["namespace"], each["name"]): each for each in (*one, *other)
    }
    return list(found.values())


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:32]
