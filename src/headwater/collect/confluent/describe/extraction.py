"""What of an environment could not be read, as gaps of a job that stands for the extraction."""

from collections.abc import Iterator

from headwater.collect.confluent import reports
from headwater.collect.confluent.observation import Observation, SeenJob
from headwater.collect.confluent.reports import ClusterReport, EnvironmentReport
from headwater.emit.gaps import GapEntry
from headwater.model.confluent.job_kinds import EXTRACTION
from headwater.model.naming import DatasetName

# The part of a pass that this is seen by: it is there whenever the environment is.
PART = "extraction"
_MOST_TOPICS = 100


def observe_extraction(
    environment: EnvironmentReport, jobs: list[SeenJob]
) -> Iterator[Observation]:
    """The gaps of a pass; `jobs` are all that were seen, by which topics have readers."""
    gaps = [
        GapEntry("other", f"{each.part} of {each.where}", f"{each.reason}; {each.next_step}")
        for each in environment.problems
    ]
    for cluster in environment.clusters:
        gaps += _of_unknown_clients(cluster, jobs)
    name = DatasetName(f"confluent://{environment.id}", "extraction")
    seen = SeenJob(EXTRACTION, name, {}, gaps=sorted(set(gaps)), is_batch=True)
    yield Observation(environment.id, PART, seen)


def _of_unknown_clients(cluster: ClusterReport, jobs: list[SeenJob]) -> Iterator[GapEntry]:
    """Topics that are written or read by somebody, and by no job that is known."""
    if reports.METRICS not in cluster.done:
        return
    written = {each.name for job in jobs for each in job.outputs}
    read = {each.name for job in jobs for each in job.inputs}
    count = 0
    for name, found in cluster.topics_by_name.items():
        dataset = DatasetName(cluster.namespace, name)
        activity = cluster.metrics.get(name, {})
        is_unknown = found.get("is_internal") is not True and count < _MOST_TOPICS
        if is_unknown and activity.get("received_records") and dataset not in written:
            count += 1
            yield GapEntry("input", name, "Producers write to this topic that nothing names.")
        if is_unknown and activity.get("sent_records") and dataset not in read:
            count += 1
            sentence = "Consumers read this topic that commit no offsets: nothing names them."
            yield GapEntry("output", name, sentence)
