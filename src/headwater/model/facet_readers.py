"""From a facet's bytes to what the projection needs of it; remembered by those bytes.

A facet that does not have the shape its name promises is kept like an unknown one.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from headwater.errors import InvalidEvent
from headwater.model import facets, gaps
from headwater.model.names import is_name
from headwater.model.relations import Joined
from headwater.model.values import instant, json_text
from headwater.model.values.ids import NO_CONTENT, dataset_id, digest, is_uuid, job_id, run_key
from headwater.model.values.memo import Memo

_MAX_INTEGER = 2**63 - 1


class NamedDataset(NamedTuple):
    id: bytes
    namespace: str
    name: str


class Facet(msgspec.Struct, gc=False, frozen=True):
    """A facet as content: its digest, its bytes without white space, and what it means to us."""

    digest: bytes
    body: bytes
    meaning: Any = None


class NamedRun(NamedTuple):
    """A run named by a facet; `name` is None where the id is a UUID."""

    id: bytes
    name: str | None
    job: bytes
    job_namespace: str
    job_name: str


class Parent(NamedTuple):
    parent: NamedRun
    root: NamedRun | None


class Symlink(NamedTuple):
    dataset: NamedDataset
    joined: Joined


class LifecycleChange(NamedTuple):
    change: str
    previous: NamedDataset | None


class Flow(NamedTuple):
    """Explicit lineage: what feeds a target (None: the facet's own owner), and by which columns."""

    target: NamedDataset | None
    inputs: tuple[NamedDataset, ...]
    columns: Facet | None


class Counters(NamedTuple):
    rows: int | None
    bytes: int | None
    files: int | None
    lag: int | None


_GONE = Facet(NO_CONTENT, b"")
_COLUMN_LINEAGE = facets.decoder(facets.ColumnLineage)
_CHANGES = frozenset(("ALTER", "CREATE", "DROP", "OVERWRITE", "RENAME", "TRUNCATE"))


def read_facet(name: str, raw: bytes) -> Facet | None:
    """Read a dataset's or run's facet; None where the value is JSON's null."""
    memo = _MEMOS.get(name, _OTHERS)
    found = memo.get(raw)
    if found is None:
        if raw == b"null":
            return None
        found = _read(raw, _READERS.get(name))
        memo.put(raw, found)
    return found


def read_job_facet(name: str, raw: bytes) -> Facet | None:
    """Read a job's facet: the same but for `lineage`, which lists targets there."""
    return read_facet("lineage of a job" if name == "lineage" else name, raw)


def _read(raw: bytes, reader: Callable[[bytes], Any] | None) -> Facet:
    # Checked here, once a value, because counting brackets costs as much as decoding an event.
    if json_text.is_too_deep(raw):
        raise InvalidEvent("$", json_text.TOO_DEEP)
    if facets.is_deleted(raw):
        return _GONE
    body = json_text.minify(json_text.readable_numbers(raw))
    meaning = reader(body) if reader else None
    if reader is _column_map_inputs:
        return Facet(_column_map_digest(body), body, meaning)
    return Facet(digest(body), body, meaning)


def _column_map_digest(body: bytes) -> bytes:
    """Apart from that of another facet with the same bytes: stores have column maps under it."""
    return digest(b"columnLineage" + body)


def is_content_of(content_digest: bytes, body: bytes) -> bool:
    """Whether a body is what its digest was made from."""
    return content_digest in (digest(body), _column_map_digest(body))


def _named_dataset(namespace: str | None, name: str | None) -> NamedDataset | None:
    if namespace and name and is_name(namespace) and is_name(name):
        return NamedDataset(dataset_id(namespace, name), namespace, name)
    return None


def _distinct(datasets: Iterable[NamedDataset | None]) -> tuple[NamedDataset, ...]:
    return tuple(dict.fromkeys(dataset for dataset in datasets if dataset is not None))


def _column_map_inputs(body: bytes) -> tuple[NamedDataset, ...]:
    found: facets.ColumnLineage | None = facets.read(_COLUMN_LINEAGE, body)
    if found is None:
        return ()
    names = {(field.namespace, field.name) for field in found.dataset or ()}
    for output in (found.fields or {}).values():
        names.update((field.namespace, field.name) for field in output.inputFields or ())
    return _distinct(_named_dataset(*name) for name in sorted(names))


def _symlinks(body: bytes) -> tuple[Symlink, ...]:
    found: facets.Symlinks | None = facets.read(_SYMLINKS, body)
    links = []
    for identifier in (found.identifiers if found else None) or ():
        if dataset := _named_dataset(identifier.namespace, identifier.name):
            kind = identifier.type.upper()
            links.append(Symlink(dataset, Joined.__members__.get(kind, Joined.OTHER)))
    return tuple(links)


def _lifecycle(body: bytes) -> LifecycleChange | None:
    found: facets.LifecycleStateChange | None = facets.read(_LIFECYCLE, body)
    if found is None or (change := found.lifecycleStateChange.upper()) not in _CHANGES:
        return None
    before = found.previousIdentifier
    previous = _named_dataset(before.namespace, before.name) if before else None
    return LifecycleChange(change, previous)


def _named_run(run: facets.RunReference, job: facets.JobReference) -> NamedRun | None:
    if not (is_name(run.runId) and is_name(job.namespace) and is_name(job.name)):
        return None
    return NamedRun(
        run_key(job.namespace, job.name, run.runId),
        None if is_uuid(run.runId) else run.runId,
        job_id(job.namespace, job.name),
        job.namespace,
        job.name,
    )


def _parent(body: bytes) -> Parent | None:
    found: facets.ParentRun | None = facets.read(_PARENT, body)
    if found is None or (parent := _named_run(found.run, found.job)) is None:
        return None
    return Parent(parent, _named_run(found.root.run, found.root.job) if found.root else None)


def _nominal_time(body: bytes) -> tuple[int | None, int | None] | None:
    found: facets.NominalTime | None = facets.read(_NOMINAL, body)
    if found is None:
        return None
    times = (_instant(found.nominalStartTime), _instant(found.nominalEndTime))
    return None if times == (None, None) else times


def _instant(text: str | None) -> int | None:
    try:
        return None if text is None else instant.parse_instant_or_date(text)
    except ValueError:
        return None


def _counters(body: bytes) -> Counters | None:
    found: facets.Statistics | None = facets.read(_STATISTICS, body)
    if found is None:
        return None
    size = found.size if found.size is not None else found.byteCount
    counters = Counters(*map(_count, (found.rowCount, size, found.fileCount, found.lag)))
    return None if counters == (None, None, None, None) else counters


def _count(value: object) -> int | None:
    """A counter is a whole number; some producers write it as a float or a string."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:
        value = int(value)
    if isinstance(value, float) and value.is_integer() and value <= _MAX_INTEGER:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_INTEGER:
        return value
    return None


def _lineage_of_dataset(body: bytes) -> tuple[Flow, ...]:
    found: facets.LineageEntry | None = facets.read(_LINEAGE_ENTRY, body)
    return () if found is None else (_flow(found, target=None),)


def read_stated_inputs(body: bytes) -> frozenset[bytes]:
    """The ids of the inputs that the facet `lineage` of an output lists."""
    return frozenset(each.id for flow in _lineage_of_dataset(body) for each in flow.inputs)


def _lineage_of_job(body: bytes) -> tuple[Flow, ...]:
    found: facets.JobLineage | None = facets.read(_JOB_LINEAGE, body)
    flows = []
    for entry in (found.entries if found else None) or ():
        target = _named_dataset(entry.namespace, entry.name)
        if entry.type == "DATASET" and target is not None:
            flows.append(_flow(entry, target))
        elif entry.type == "JOB" and entry.name is None:
            flows.append(_flow(entry, target=None))
    return tuple(flows)


def _flow(entry: facets.LineageEntry, target: NamedDataset | None) -> Flow:
    fields = {
        name: facets.OutputField(inputFields=_input_fields(field.inputs))
        for name, field in (entry.fields or {}).items()
    }
    whole = [field for field in _input_fields(entry.inputs) if field.field]
    sources = [field for output in fields.values() for field in output.inputFields or ()]
    inputs = [*_input_fields(entry.inputs), *sources]
    return Flow(
        target,
        _distinct(_named_dataset(field.namespace, field.name) for field in inputs),
        _stated_columns(facets.ColumnLineage(fields=fields, dataset=whole)),
    )


def _input_fields(inputs: list[facets.LineageInput] | None) -> list[facets.InputField]:
    return [
        facets.InputField(source.namespace, source.name, source.field, source.transformations)
        for source in inputs or ()
        if source.type == "DATASET" and source.namespace and source.name
    ]


def _stated_columns(stated: facets.ColumnLineage) -> Facet | None:
    """Explicit lineage by field has the content of a column map: convert it."""
    if not stated.fields and not stated.dataset:
        return None
    body = msgspec.json.encode(stated)
    return Facet(_column_map_digest(body), body, _column_map_inputs(body))


def _is_of_every_topic(body: bytes) -> bool:
    """Whether a schema is that of Kafka's own records, as Spark reads any topic."""
    if b'"timestampType"' not in body:
        return False
    found: facets.Schema | None = facets.read(_SCHEMA, body)
    names = {field.name for field in (found.fields if found else None) or ()}
    return names - {"headers"} == _RECORD


_RECORD = {"key", "value", "topic", "partition", "offset", "timestamp", "timestampType"}
_SCHEMA = facets.decoder(facets.Schema)
_SYMLINKS = facets.decoder(facets.Symlinks)
_LIFECYCLE = facets.decoder(facets.LifecycleStateChange)
_PARENT = facets.decoder(facets.ParentRun)
_NOMINAL = facets.decoder(facets.NominalTime)
_STATISTICS = facets.decoder(facets.Statistics)
_LINEAGE_ENTRY = facets.decoder(facets.LineageEntry)
_JOB_LINEAGE = facets.decoder(facets.JobLineage)

_READERS: dict[str, Callable[[bytes], Any]] = {
    "columnLineage": _column_map_inputs,
    "schema": _is_of_every_topic,
    "symlinks": _symlinks,
    "lifecycleStateChange": _lifecycle,
    "parent": _parent,
    "nominalTime": _nominal_time,
    "inputStatistics": _counters,
    "outputStatistics": _counters,
    "lineage": _lineage_of_dataset,
    "lineage of a job": _lineage_of_job,
    **gaps.READERS,
}
# Schemas and column maps are large and repeat; most others are small or change with every run.
_OTHERS: Memo[Facet] = Memo(8_000_000)
_MEMOS: dict[str, Memo[Facet]] = {
    **{name: Memo(1_000_000) for name in _READERS},
    "schema": Memo(32_000_000),
    "columnLineage": Memo(32_000_000),
}
