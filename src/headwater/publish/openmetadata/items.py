"""What OpenMetadata is to hold: pipelines, and links between what it has, by column."""

from collections.abc import Iterable, Iterator

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import ColumnLink, InventoryDataset, InventoryJob, Upstream
from headwater.model.uses import Name
from headwater.publish.catalog import CatalogItem, Json, Skipped, subject_of
from headwater.publish.catalog.events import describe_job
from headwater.publish.openmetadata.names import EntityName, EntityNames, pipeline_name

PIPELINE = "pipeline"
LINEAGE = "lineage"
# What the description of a link begins with: by this it is known to be ours.
MARK = "Headwater: "
_LONGEST_TEXT = 2_000


def list_items(
    inventory: Inventory, names: EntityNames, has_pipelines: bool
) -> Iterator[CatalogItem | Skipped]:
    """All items: pipelines, then links that name them."""
    if has_pipelines:
        for job in inventory.jobs(with_columns=False):
            if job.flows:
                yield _pipeline(job)
    for entry in inventory.datasets():
        yield from _links(entry, names, has_pipelines)


def _pipeline(job: InventoryJob) -> CatalogItem:
    name, subject = pipeline_name(job.name), subject_of(job.name)
    body = {"name": name, "displayName": job.name.name, "description": describe_job(job) or subject}
    return CatalogItem(PIPELINE, name, subject, body)


def _links(
    entry: InventoryDataset, names: EntityNames, has_pipelines: bool
) -> Iterator[CatalogItem | Skipped]:
    subject, target = subject_of(entry.dataset.name), names.find(entry.dataset)
    if not entry.upstreams:
        return
    if target is None:
        yield _unmapped(entry.dataset.name, subject)
        return
    for upstream in entry.upstreams:
        source = names.find(upstream.dataset)
        if source is None:
            yield _unmapped(upstream.dataset.name, subject)
        elif source != target:
            body = _body(source, target, upstream, entry.gaps, has_pipelines)
            yield CatalogItem(LINEAGE, f"{source.fqn} -> {target.fqn}", subject, body)


def _unmapped(name: Name, subject: str) -> Skipped:
    reason = f"no --service says what the namespace {name.namespace} is there"
    return Skipped(f"dataset {subject_of(name)[:200]}", subject, reason)


def _body(
    source: EntityName, target: EntityName, upstream: Upstream, gaps: str, has_pipelines: bool
) -> Json:
    jobs = ", ".join(map(subject_of, upstream.jobs))
    text = f"{MARK}by {jobs}" if jobs else f"{MARK}declared"
    text += f" (incomplete: {gaps})" if gaps else ""
    pipeline = pipeline_name(upstream.jobs[0]) if upstream.jobs and has_pipelines else ""
    return {
        "from": source._asdict(),
        "to": target._asdict(),
        "columns": _columns(upstream.columns),
        "description": text[:_LONGEST_TEXT],
        "pipeline": pipeline,
    }


def _columns(links: Iterable[ColumnLink]) -> list[Json]:
    """Columns that go into columns; what only decides over rows has no place there."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for link in links:
        if link.source and link.target:
            sources, ways = found.setdefault(link.target, (set(), set()))
            sources.add(link.source)
            ways |= {way.words for way in link.transformations if way.words}
    return [
        {"from": sorted(sources), "to": target, "function": ", ".join(sorted(ways))}
        for target, (sources, ways) in sorted(found.items())
    ]
