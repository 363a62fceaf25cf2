"""Declared jobs as OpenLineage events: of a run, or of the job as it is designed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.declared.code_location import git_location
from headwater.declared.jobs import DeclaredColumn, DeclaredJob, DeclaredSource, FileProblem
from headwater.emit.events import Producer
from headwater.emit.spec import DECLARED_JOBS, producer_url
from headwater.model.job_types import BATCH, PROCESSING_TYPES, SERVICE, STREAM
from headwater.model.names import DECLARED_RUN
from headwater.model.naming import DatasetName, unknown_namespace
from headwater.model.values.consumer_groups import GROUPS_FACET

Json = dict[str, Any]
_PRODUCER = Producer(producer_url(DECLARED_JOBS))
_PROCESSING = {"streaming": STREAM, "service": SERVICE}


class EventParts(NamedTuple):
    """What all events of a job have, and what of its SQL is not understood."""

    job: Json
    inputs: list[Json]
    outputs: list[Json]
    problems: list[FileProblem]


def event_parts(job: DeclaredJob) -> EventParts:
    inputs = {each.name: _dataset(each) for each in job.inputs}
    outputs = {each.name: _dataset(each) for each in job.outputs}
    problems = _add_sql(job, inputs, outputs) if job.sql else []
    for name, columns in job.columns.items():
        fields = {column: {"inputFields": _sources(some)} for column, some in columns.items()}
        facets = outputs[name].setdefault("facets", {})
        # What the author says of a column counts before what its SQL says.
        before = facets.get("columnLineage", {})
        content = {**before, "fields": {**before.get("fields", {}), **fields}}
        content = {key: value for key, value in content.items() if key[0] != "_"}
        facets["columnLineage"] = _PRODUCER.facet("ColumnLineageDatasetFacet", **content)
    described = {"namespace": job.namespace, "name": job.name, "facets": _job_facets(job)}
    return EventParts(described, list(inputs.values()), list(outputs.values()), problems)


def design_event(parts: EventParts) -> Json:
    """What the job is to read and write, whether or not it runs."""
    return _PRODUCER.job_event(parts.job, parts.inputs, parts.outputs)


def run_event(parts: EventParts, event_type: str, run_id: str) -> Json:
    """An event of a run, which says that what it reads and writes was declared, not observed."""
    run = {"runId": run_id, "facets": {DECLARED_RUN: _PRODUCER.run_facet()}}
    return _PRODUCER.run_event(event_type, parts.job, run, parts.inputs, parts.outputs)


def _job_facets(job: DeclaredJob) -> Json:
    facets: Json = {}
    if job.type:
        processing = PROCESSING_TYPES[_PROCESSING.get(job.type, BATCH)]
        kind = "DASHBOARD" if job.type == "dashboard" else "JOB"
        facets["jobType"] = _PRODUCER.job_type(processing, "DECLARED", kind)
    if job.description:
        facets["documentation"] = _PRODUCER.facet(
            "DocumentationJobFacet", description=job.description
        )
    if job.owners:
        owners = [{"name": name, "type": "OWNER"} for name in job.owners]
        facets["ownership"] = _PRODUCER.facet("OwnershipJobFacet", owners=owners)
    if job.tags:
        facets["tags"] = _PRODUCER.facet("TagsJobFacet", tags=_tags(job.tags))
    if job.sql:
        dialect = {"dialect": job.dialect} if job.dialect else {}
        facets["sql"] = _PRODUCER.facet("SQLJobFacet", query=job.sql, **dialect)
    if job.groups:
        facets[GROUPS_FACET] = _PRODUCER.custom_facet(groups=list(job.groups))
    if code := _code(job):
        facets["sourceCodeLocation"] = _PRODUCER.facet("SourceCodeLocationJobFacet", **code)
    stated = {"schedule": job.schedule, "url": job.url}
    if any(stated.values()):
        known = {key: value for key, value in stated.items() if value}
        facets["headwater_declaration"] = _PRODUCER.custom_facet(**known)
    return facets


def _code(job: DeclaredJob) -> dict[str, str]:
    code = job.code
    found = git_location(job.place.file)
    if code is None:
        return found
    stated = {
        "url": code.url or code.repo,
        "repoUrl": code.repo,
        "path": code.path,
        "version": code.version,
        "branch": code.branch,
    }
    known = {key: value for key, value in stated.items() if value}
    if "url" in known and known["url"] != found.get("url"):
        # Another repository: what git says of this one is of no use.
        return {"type": "git", **known}
    return {"type": "git", **found, **known} if found or "url" in known else {}


def _tags(tags: Sequence[str], field: str = "") -> list[Json]:
    place = {"field": field} if field else {}
    return [{"key": tag, "value": "true", "source": "DECLARED", **place} for tag in tags]


def _dataset(source: DeclaredSource) -> Json:
    facets: Json = {}
    if source.fields:
        fields = [
            {
                "name": each.name,
                **({"type": each.type} if each.type else {}),
                **({"description": each.description} if each.description else {}),
            }
            for each in source.fields
        ]
        facets["schema"] = _PRODUCER.facet("SchemaDatasetFacet", fields=fields)
    if source.description:
        facets["documentation"] = _PRODUCER.facet(
            "DocumentationDatasetFacet", description=source.description
        )
    tags = _tags(source.tags)
    for each in source.fields:
        tags += _tags(each.tags, each.name)
    if tags:
        facets["tags"] = _PRODUCER.facet("TagsDatasetFacet", tags=tags)
    return {
        "namespace": source.name.namespace,
        "name": source.name.name,
        **({"facets": facets} if facets else {}),
    }


def _sources(some: Sequence[DeclaredColumn]) -> list[Json]:
    return [
        {"namespace": each.dataset.namespace, "name": each.dataset.name, "field": each.field}
        for each in some
    ]


def _add_sql(
    job: DeclaredJob, inputs: dict[DatasetName, Json], outputs: dict[DatasetName, Json]
) -> list[FileProblem]:
    """Add what the SQL reads and writes, with columns; its tables are the declared datasets.

    A table belongs to the dataset that has its name, or ends in it. Others are added by what their
    definitions name, or as datasets of which it is not known where they are, which are problems.
    """
    from headwater.sql import analyze
    from headwater.sql.render.events import script_datasets

    assert job.sql is not None
    try:
        statements = analyze(job.sql, job.dialect or None, _schemas(job))
    except ValueError as error:
        return [FileProblem(job.place, str(error))]
    problems = [
        FileProblem(job.place, f"SQL line {each.line}: {each.message}")
        for statement in statements
        for each in statement.problems
    ]
    only = job.outputs[0].name if len(job.outputs) == 1 else None
    names = _names_of([*job.outputs, *job.inputs])
    unknown = unknown_namespace(job.namespace, job.name)
    read, written = script_datasets(statements, unknown, _PRODUCER.facet, names, only)
    for found, declared, side in ((read, inputs, "reads"), (written, outputs, "writes")):
        for each in found:
            name = DatasetName(each["namespace"], each["name"])
            if name in declared:
                known = declared[name].setdefault("facets", {})
                # A schema that the author states counts before that of the SQL.
                declared[name]["facets"] = {**each.get("facets", {}), **known}
                continue
            declared[name] = each
            if name.namespace == unknown:
                message = f"the SQL {side} {name.name}, which is none of the declared datasets"
                problems.append(FileProblem(job.place, message))
    return problems


def _schemas(job: DeclaredJob) -> dict[str, dict[str, str | None]]:
    """The columns of datasets for which the file lists them, by the ways they may be called."""
    return {
        each.name.name: {field.name: field.type for field in each.fields}
        for each in (*job.inputs, *job.outputs)
        if each.fields
    }


def _names_of(sources: Sequence[DeclaredSource]) -> Callable[[str], DatasetName | None]:
    by_name: Mapping[str, DatasetName] = {each.name.name.lower(): each.name for each in sources}

    def find(table: str) -> DatasetName | None:
        key = table.lower()
        if key in by_name:
            return by_name[key]
        ends = {name for text, name in by_name.items() if text.endswith((f".{key}", f"/{key}"))}
        return next(iter(ends)) if len(ends) == 1 else None

    return find
