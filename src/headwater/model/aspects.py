"""What a person can give or take back of an entity: the names under which edits keep it.

A value has the shape of the OpenLineage facet of the same name, where there is one: it is read in
that facet's place. Tags are an aspect each, so that two persons who tag one thing at once do not
undo each other.
"""

DELETED = "deleted"
SYMLINKS = "symlinks"
SCHEMA = "schema"
"""A dataset's fields, as of its design."""
DATASETS = "datasets"
"""What a job reads and writes, as of its design: `inputs` and `outputs`, each a list of names."""
DOCUMENTATION = "documentation"
OWNERSHIP = "ownership"
DATA_SOURCE = "dataSource"
DATASET_TYPE = "datasetType"
JOB_TYPE = "jobType"
LOCATION = "sourceCodeLocation"
SQL = "sql"
PHYSICAL_NAME = "physicalName"
"""The name of a dataset where it is kept, `name`, if it is another."""
SCHEMA_LOCATION = "schemaLocation"
"""Where a stream's schema is kept, `url`."""
CONTEXT = "context"
"""What else Marquez's clients say of a job, by key."""
ACKNOWLEDGED = "acknowledged"
"""That somebody knows of a problem: its kind as `problem`, the `reason`, and `until` when."""
TAG = "tag/"


def tag_aspect(tag: str) -> str:
    """The aspect of one tag: true where it is given, false where an event's is taken away."""
    return f"{TAG}{tag}"
