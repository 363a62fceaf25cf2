"""Names of what Unity Catalog knows: as dbt, Spark, Tableflow and LineageBridge have them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.collect.catalog.entries import StatedJobType
from headwater.model.confluent.job_kinds import CATALOG_QUERY, NOTEBOOK
from headwater.model.naming import DatasetName, by_location

Json = dict[str, Any]
_INTEGRATION = "DATABRICKS"


class EntityKind(NamedTuple):
    """A kind of thing that reads and writes tables: its key in answers, its id's, and its name."""

    key: str
    id_key: str
    name: str
    job: StatedJobType


ENTITY_KINDS = tuple(
    EntityKind(key, id_key, name, StatedJobType(_INTEGRATION, job_type))
    for key, id_key, name, job_type in (
        ("notebookInfos", "notebook_id", "notebook", NOTEBOOK.job_type),
        ("jobInfos", "job_id", "job", "JOB"),
        ("queryInfos", "query_id", "query", CATALOG_QUERY.job_type),
        ("dashboardInfos", "dashboard_id", "dashboard", "DASHBOARD"),
        ("dashboardV3Infos", "dashboard_id", "dashboard", "DASHBOARD"),
        ("pipelineInfos", "pipeline_id", "pipeline", "PIPELINE"),
        ("dltPipelineInfos", "pipeline_id", "pipeline", "PIPELINE"),
    )
)
# What somebody did that has no name there, such as a statement of a tool.
UNNAMED = StatedJobType(_INTEGRATION, CATALOG_QUERY.job_type)
EXTERNAL = StatedJobType(_INTEGRATION, "EXTERNAL_LINEAGE")


class UnityNames(NamedTuple):
    """Names in one workspace."""

    host: str
    url: str
    default_catalog: str = ""

    @property
    def namespace(self) -> str:
        return f"databricks://{self.host}"

    def table(self, name: str) -> DatasetName:
        return DatasetName(self.namespace, name)

    def others(self, name: str) -> tuple[DatasetName, ...]:
        """What others call a table; without a catalog it is one of the workspace's own default,
        as sinks that are given only a schema have it."""
        catalog, _, rest = name.partition(".")
        short = (
            (DatasetName(self.namespace, rest),)
            if catalog and catalog == self.default_catalog
            else ()
        )
        return (
            DatasetName(f"unitycatalog://{self.host}", name),
            DatasetName(f"databricks://{self.url}", name),
            *short,
        )

    def external(self, name: str) -> DatasetName:
        """An object of external metadata that is not Headwater's."""
        return DatasetName(self.namespace, f"external_metadata/{name}")

    def place(self, entry: Mapping[str, Any]) -> DatasetName | None:
        """The table or path of an entry of lineage; None where it names neither."""
        info = entry.get("tableInfo")
        if isinstance(info, dict):
            parts = [str(info.get(key) or "") for key in ("catalog_name", "schema_name", "name")]
            return self.table(".".join(parts)) if all(parts) else None
        info = entry.get("fileInfo")
        path = str(info.get("path") or "") if isinstance(info, dict) else ""
        return by_location(path) if path else None
