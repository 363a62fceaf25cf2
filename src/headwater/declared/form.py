"""What may stand in a file of declared jobs: the checks and the JSON Schema are made of this."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Text = Annotated[str, Meta(min_length=1, max_length=10_000)]
Name = Annotated[str, Meta(min_length=1, max_length=2_000)]


class StrictMapping(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A mapping with these keys and no others."""


class DeclaredField(StrictMapping):
    """A column of a dataset."""

    name: Name
    type: Name | None = None
    description: Text | None = None
    tags: list[Name] = []


class DatasetEntry(StrictMapping):
    """A dataset with what is known of it. `name` may hold the namespace, as in `s3://b/k`."""

    name: Name
    namespace: Name | None = None
    description: Text | None = None
    fields: list[DeclaredField] = []
    tags: list[Name] = []


class Lineage(StrictMapping):
    """What a job reads and writes."""

    inputs: list[Name | DatasetEntry] = []
    outputs: list[Name | DatasetEntry] = []
    owner: Name | list[Name] | None = None
    description: Text | None = None
    columns: dict[str, dict[str, Name | list[Name]]] = {}


class CodePlace(StrictMapping):
    """Where the code of a job is, if it is not where this file is in git."""

    url: Name | None = None
    repo: Name | None = None
    path: Name | None = None
    version: Name | None = None
    branch: Name | None = None


class JobForm(StrictMapping):
    """One job. What it reads and writes, its owner and description may stand under `lineage`."""

    name: Name
    namespace: Name | None = None
    type: Literal["batch", "streaming", "service", "dashboard"] | None = None
    lineage: Lineage = msgspec.field(default_factory=Lineage)
    inputs: list[Name | DatasetEntry] = []
    outputs: list[Name | DatasetEntry] = []
    owner: Name | list[Name] | None = None
    description: Text | None = None
    columns: dict[str, dict[str, Name | list[Name]]] = {}
    sql: Annotated[str, Meta(min_length=1, max_length=1_000_000)] | None = None
    sql_file: Name | None = None
    dialect: Name | None = None
    groups: list[Name] = []
    schedule: Name | None = None
    tags: list[Name] = []
    url: Name | None = None
    code: CodePlace | None = None


class FileForm(StrictMapping):
    """A file: one job, or many."""

    job: JobForm | None = None
    jobs: list[JobForm] = []


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a file, for editors."""
    schema = msgspec.json.schema(FileForm)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Jobs declared for Headwater",
        **schema,
    }
