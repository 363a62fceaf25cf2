"""project(event) -> Facts: the one pure function from an event to its facts.

No settings, no clock, no store: every process, the server's and Spark's, makes the same facts.
"""

from collections.abc import Callable

from headwater.model.event import Event, Kind
from headwater.model.facts import Facts
from headwater.model.project.catalog_names import name_catalog_tables
from headwater.model.project.consumer_groups import project_consumer_groups
from headwater.model.project.datasets import (
    project_declared_datasets,
    project_described_dataset,
    project_mentioned_datasets,
    project_used_datasets,
)
from headwater.model.project.edits import project_edit
from headwater.model.project.gaps import project_gaps
from headwater.model.project.jobs import project_job, project_parents, project_run
from headwater.model.project.micro_batches import name_streamed_folders, project_micro_batch
from headwater.model.project.projection import Projection

# In this order: the step of the run needs the result of its datasets.
STEPS: dict[Kind, tuple[Callable[[Projection], None], ...]] = {
    Kind.RUN: (
        name_streamed_folders,
        project_used_datasets,
        project_mentioned_datasets,
        project_job,
        project_run,
        project_parents,
        project_micro_batch,
        project_consumer_groups,
        project_gaps,
        name_catalog_tables,
    ),
    Kind.JOB: (
        project_job,
        project_declared_datasets,
        project_mentioned_datasets,
        project_consumer_groups,
        name_catalog_tables,
    ),
    Kind.DATASET: (project_described_dataset, project_mentioned_datasets, name_catalog_tables),
    Kind.EDIT: (project_edit,),
}


def project(event: Event, received_at: int = 0) -> Facts:
    """State the facts of an event. Only the event's own row knows when it was received.

    Raises InvalidEvent for a facet that nests too deeply.
    """
    projection = Projection(event, received_at)
    for step in STEPS[event.kind]:
        step(projection)
    return projection.facts
