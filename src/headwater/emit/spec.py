"""Where OpenLineage keeps the schemas of its events and facets: for events of our own making."""

from headwater import __version__
from headwater.model.values.ids import author_id

_SPEC = "https://openlineage.io/spec"
RUN_EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
JOB_EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/JobEvent"
DATASET_EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/DatasetEvent"
RUN_FACET = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunFacet"

_FACET_VERSIONS = {
    "ColumnLineageDatasetFacet": "1-2-0",
    "DataQualityAssertionsDatasetFacet": "1-1-0",
    "DataQualityMetricsInputDatasetFacet": "1-0-2",
    "DatasourceDatasetFacet": "1-0-1",
    "DatasetTypeDatasetFacet": "1-0-0",
    "DatasetVersionDatasetFacet": "1-0-1",
    "DocumentationDatasetFacet": "1-1-0",
    "DocumentationJobFacet": "1-1-0",
    "ErrorMessageRunFacet": "1-0-1",
    "ExternalQueryRunFacet": "1-0-2",
    "InputStatisticsInputDatasetFacet": "1-0-0",
    "JobTypeJobFacet": "2-0-4",
    "LineageFacet": "1-0-0",
    "LifecycleStateChangeDatasetFacet": "1-0-1",
    "NominalTimeRunFacet": "1-0-1",
    "OutputStatisticsOutputDatasetFacet": "1-0-2",
    "OwnershipDatasetFacet": "1-0-1",
    "OwnershipJobFacet": "1-0-1",
    "ParentRunFacet": "1-2-0",
    "SQLJobFacet": "1-1-0",
    "ProcessingEngineRunFacet": "1-1-1",
    "SchemaDatasetFacet": "1-2-0",
    "SourceCodeLocationJobFacet": "1-0-1",
    "SymlinksDatasetFacet": "1-0-1",
    "TagsDatasetFacet": "1-0-0",
    "TagsJobFacet": "1-0-0",
}
# By these, what Headwater has written into a catalog is known there: descriptions begin so, and
# objects, links and processes have this property.
PUBLISHED_TEXT = "Lineage: "
PUBLISHED_BY = {"managed_by": "headwater"}


def producer_url(part: str) -> str:
    """How a part of Headwater names itself in its events."""
    return f"https://headwater.example/{part}/{__version__}"


# The part of Headwater that derives the lineage of jobs from their SQL.
SQL_LINEAGE = "sql-lineage"
# The part that sends what people declare of jobs in files.
DECLARED_JOBS = "declared"
# What this author declares is inferred: whatever a run observed or anybody declared outranks it.
INFERRING_AUTHOR = author_id(producer_url(SQL_LINEAGE))


def facet_schema(kind: str) -> str:
    """The schema of a facet, in the version that is written here."""
    return f"{_SPEC}/facets/{_FACET_VERSIONS[kind]}/{kind}.json#/$defs/{kind}"
