"""The one builder of OpenLineage events: whatever Headwater itself produces is made here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.emit.spec import (
    DATASET_EVENT,
    JOB_EVENT,
    RUN_EVENT,
    RUN_FACET,
    facet_schema,
    producer_url,
)
from headwater.model.values.instant import format_instant, now

Json = dict[str, Any]

# Every event names all inputs and outputs: what it no longer names is no longer used.
COMPLETE_SNAPSHOTS: Mapping[str, str] = {
    "eventTrigger": "PERIODIC",
    "eventContentMode": "COMPLETE_SNAPSHOT",
}


class Producer(NamedTuple):
    """Builds events and facets under the URL of one producer."""

    url: str

    @classmethod
    def of_part(cls, part: str) -> "Producer":
        """The producer that a part of Headwater is."""
        return cls(producer_url(part))

    def facet(self, kind: str, **values: Any) -> Json:
        """A facet that OpenLineage specifies."""
        return {"_producer": self.url, "_schemaURL": facet_schema(kind), **values}

    def custom_facet(self, **values: Any) -> Json:
        """A facet that this producer alone defines."""
        return {"_producer": self.url, "_schemaURL": f"{self.url}/facets.json", **values}

    def run_facet(self, **values: Any) -> Json:
        """A run facet that has no more of a schema than that it is one."""
        return {"_producer": self.url, "_schemaURL": RUN_FACET, **values}

    def run_event(
        self,
        event_type: str,
        job: Json,
        run: Json,
        inputs: Sequence[Json] = (),
        outputs: Sequence[Json] = (),
        at: int | None = None,
    ) -> Json:
        """An event of now, or of another time, in microseconds since 1970."""
        return {
            "eventTime": format_instant(now() if at is None else at),
            "eventType": event_type,
            "producer": self.url,
            "schemaURL": RUN_EVENT,
            "run": run,
            "job": job,
            "inputs": list(inputs),
            "outputs": list(outputs),
        }

    def job_event(
        self,
        job: Json,
        inputs: Sequence[Json] = (),
        outputs: Sequence[Json] = (),
        at: int | None = None,
    ) -> Json:
        """What a job uses, whether or not it runs; it replaces what this producer stated of it."""
        return {
            "eventTime": format_instant(now() if at is None else at),
            "producer": self.url,
            "schemaURL": JOB_EVENT,
            "job": job,
            "inputs": list(inputs),
            "outputs": list(outputs),
        }

    def dataset_event(self, dataset: Json, at: int | None = None) -> Json:
        """How a dataset is, whoever uses it; it replaces what this producer reported before."""
        return {
            "eventTime": format_instant(now() if at is None else at),
            "producer": self.url,
            "schemaURL": DATASET_EVENT,
            "dataset": dataset,
        }

    def job_type(
        self,
        processing: str,
        integration: str,
        job_type: str,
        emission: Mapping[str, Any] | None = None,
    ) -> Json:
        """The jobType facet; `emission` is when events are sent and how complete they are."""
        pattern = {"emissionPattern": dict(emission)} if emission else {}
        return self.facet(
            "JobTypeJobFacet",
            processingType=processing,
            integration=integration,
            jobType=job_type,
            **pattern,
        )

    def error(self, message: str, language: str, stack_trace: str | None = None) -> Json:
        """The errorMessage facet."""
        trace = {"stackTrace": stack_trace} if stack_trace else {}
        return self.facet(
            "ErrorMessageRunFacet", message=message, programmingLanguage=language, **trace
        )

    def parent(self, job: Mapping[str, str], run_id: str, root: Json | None = None) -> Json:
        """The parent facet of a run; without a `root`, the parent is that as well."""
        reference = {"run": {"runId": run_id}, "job": dict(job)}
        return self.facet("ParentRunFacet", **reference, root=root or reference)

    def symlinks(self, identifiers: Iterable[tuple[str, str]]) -> Json:
        """The symlinks facet: other names that are tables."""
        tables = [
            {"namespace": space, "name": name, "type": "TABLE"} for space, name in identifiers
        ]
        return self.facet("SymlinksDatasetFacet", identifiers=tables)

    def input_statistics(self, **counts: int | None) -> Json:
        """What was counted of an input, to be merged into it; empty if nothing was."""
        return self._statistics("input", "InputStatisticsInputDatasetFacet", counts)

    def output_statistics(self, **counts: int | None) -> Json:
        """What was counted of an output, to be merged into it; empty if nothing was."""
        return self._statistics("output", "OutputStatisticsOutputDatasetFacet", counts)

    def _statistics(self, side: str, kind: str, counts: Mapping[str, int | None]) -> Json:
        counted = {name: value for name, value in counts.items() if value is not None}
        if not counted:
            return {}
        return {f"{side}Facets": {f"{side}Statistics": self.facet(kind, **counted)}}
