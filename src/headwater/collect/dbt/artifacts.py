"""The files that dbt writes, as far as lineage needs them; what they have beside it is passed over.

The versions of a file differ in what they add: older ones lack some keys, which have defaults here.
"""

from typing import Any

import msgspec

Json = dict[str, Any]


class ArtifactMetadata(msgspec.Struct):
    dbt_schema_version: str = ""
    dbt_version: str = ""
    generated_at: str = ""
    invocation_id: str | None = None
    invocation_started_at: str | None = None
    project_name: str | None = None
    adapter_type: str | None = None


class ManifestColumn(msgspec.Struct):
    name: str
    description: str | None = None
    data_type: str | None = None
    meta: Json | None = None
    tags: list[str] | None = None


class DependsOn(msgspec.Struct):
    nodes: list[str] | None = None


class TestMetadata(msgspec.Struct):
    name: str
    kwargs: Json | None = None


class ManifestNode(msgspec.Struct):
    """A model, seed, snapshot, test or source."""

    unique_id: str
    name: str
    resource_type: str
    package_name: str = ""
    path: str = ""
    database: str | None = None
    schema: str | None = None
    alias: str | None = None
    identifier: str | None = None
    relation_name: str | None = None
    source_name: str | None = None
    loader: str | None = None
    original_file_path: str | None = None
    language: str | None = None
    compiled_code: str | None = None
    compiled_sql: str | None = None
    description: str | None = None
    columns: dict[str, ManifestColumn] | None = None
    tags: list[str] | None = None
    meta: Json | None = None
    config: Json | None = None
    group: str | None = None
    depends_on: DependsOn | None = None
    attached_node: str | None = None
    column_name: str | None = None
    test_metadata: TestMetadata | None = None

    @property
    def code(self) -> str:
        """Its compiled SQL; empty where it was not compiled, or is not SQL."""
        return self.compiled_code or self.compiled_sql or ""

    @property
    def is_uncompiled(self) -> bool:
        """Whether it is SQL that the last command did not compile."""
        is_sql = self.resource_type in ("model", "snapshot") and self.language != "python"
        return is_sql and not self.code

    @property
    def materialized(self) -> str:
        return str((self.config or {}).get("materialized") or "")

    @property
    def is_ephemeral(self) -> bool:
        """Whether it is no table, and stands in the SQL of those that read it."""
        return self.materialized == "ephemeral"

    @property
    def parents(self) -> list[str]:
        return (self.depends_on.nodes if self.depends_on else None) or []


class ManifestOwner(msgspec.Struct):
    name: str | None = None
    email: str | list[str] | None = None


class ManifestExposure(msgspec.Struct):
    unique_id: str
    name: str
    type: str = ""
    label: str | None = None
    description: str | None = None
    url: str | None = None
    maturity: str | None = None
    owner: ManifestOwner | None = None
    tags: list[str] | None = None
    meta: Json | None = None
    original_file_path: str | None = None
    depends_on: DependsOn | None = None


class SemanticElement(msgspec.Struct):
    """An entity, dimension or measure of a semantic model."""

    name: str
    expr: str | None = None
    description: str | None = None
    agg: str | None = None
    type: str | None = None


class SemanticModel(msgspec.Struct):
    unique_id: str
    name: str
    description: str | None = None
    entities: list[SemanticElement] | None = None
    dimensions: list[SemanticElement] | None = None
    measures: list[SemanticElement] | None = None
    depends_on: DependsOn | None = None
    original_file_path: str | None = None


class ManifestMetric(msgspec.Struct):
    unique_id: str
    name: str
    type: str = ""
    label: str | None = None
    description: str | None = None
    type_params: Json | None = None
    tags: list[str] | None = None
    meta: Json | None = None
    depends_on: DependsOn | None = None
    original_file_path: str | None = None


class ManifestGroup(msgspec.Struct):
    name: str
    owner: ManifestOwner | None = None


class Manifest(msgspec.Struct):
    """What a project consists of."""

    metadata: ArtifactMetadata
    nodes: dict[str, ManifestNode]
    sources: dict[str, ManifestNode] = {}
    exposures: dict[str, ManifestExposure] = {}
    metrics: dict[str, ManifestMetric] = {}
    semantic_models: dict[str, SemanticModel] = {}
    groups: dict[str, ManifestGroup] = {}


class Timing(msgspec.Struct):
    name: str
    started_at: str | None = None
    completed_at: str | None = None


class NodeResult(msgspec.Struct):
    """How a node went."""

    unique_id: str
    status: str
    timing: list[Timing] = []
    message: str | None = None
    failures: int | None = None
    adapter_response: Json | None = None
    compiled_code: str | None = None


class RunResults(msgspec.Struct):
    """What one invocation did."""

    metadata: ArtifactMetadata
    results: list[NodeResult]
    args: Json = {}

    @property
    def command(self) -> str:
        return str(self.args.get("which") or "")


class CatalogColumnEntry(msgspec.Struct):
    name: str
    type: str | None = None
    index: int | float = 0
    comment: str | None = None


class CatalogRelation(msgspec.Struct):
    columns: dict[str, CatalogColumnEntry]


class ProjectCatalog(msgspec.Struct):
    """The columns of tables, as the warehouse has them."""

    metadata: ArtifactMetadata
    nodes: dict[str, CatalogRelation] = {}
    sources: dict[str, CatalogRelation] = {}


class SourceFreshness(msgspec.Struct):
    """How old the newest row of a source is, or why that is not known."""

    unique_id: str
    status: str | None = None
    max_loaded_at: str | None = None
    snapshotted_at: str | None = None
    max_loaded_at_time_ago_in_s: float | None = None
    criteria: Json | None = None
    error: str | int | None = None


class FreshnessResults(msgspec.Struct):
    metadata: ArtifactMetadata
    results: list[SourceFreshness]
