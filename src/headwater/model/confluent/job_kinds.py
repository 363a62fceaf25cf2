"""The kinds of jobs of Confluent Cloud: how `jobType` states them, and their nodes and edges."""

from typing import NamedTuple

INTEGRATION = "CONFLUENT"

PRODUCES, CONSUMES, TRANSFORMS = "produces", "consumes", "transforms"
MATERIALIZES, HAS_SCHEMA, MEMBER_OF = "materializes", "has_schema", "member_of"


class JobKind(NamedTuple):
    """A kind of job: its node's type, and the types of the edges into and out of it.

    Without a node, each input has an edge of `output_edge` to each output.
    """

    job_type: str
    node_type: str | None
    input_edge: str
    output_edge: str


CONNECTOR = JobKind("CONNECTOR", "connector", CONSUMES, PRODUCES)
KSQLDB_QUERY = JobKind("KSQLDB_QUERY", "ksqldb_query", TRANSFORMS, TRANSFORMS)
FLINK_JOB = JobKind("FLINK_JOB", "flink_job", TRANSFORMS, TRANSFORMS)
CONSUMER_GROUP = JobKind("CONSUMER_GROUP", "consumer_group", CONSUMES, PRODUCES)
TABLEFLOW = JobKind("TABLEFLOW", None, MATERIALIZES, MATERIALIZES)
CLUSTER_LINK = JobKind("CLUSTER_LINK", None, TRANSFORMS, TRANSFORMS)
EXTRACTION = JobKind("EXTRACTION", None, CONSUMES, PRODUCES)
NOTEBOOK = JobKind("NOTEBOOK", "notebook", CONSUMES, PRODUCES)
CATALOG_QUERY = JobKind("CATALOG_QUERY", "catalog_query", CONSUMES, PRODUCES)

_BY_JOB_TYPE = {
    kind.job_type: kind
    for kind in (
        CONNECTOR,
        KSQLDB_QUERY,
        FLINK_JOB,
        CONSUMER_GROUP,
        TABLEFLOW,
        CLUSTER_LINK,
        EXTRACTION,
        NOTEBOOK,
        CATALOG_QUERY,
    )
}


def kind_of(job_type: object) -> JobKind:
    """The kind of a job by its `jobType.jobType`; of a job of anybody's, it is a connector's."""
    return _BY_JOB_TYPE.get(str(job_type), CONNECTOR)
