"""Events with just what a test is about written out."""

from typing import Any

Json = dict[str, Any]

JOBS = "scheduler"
TABLES = "postgres://db:5432"
RUN = "01890000-0000-7000-8000-000000000001"
OLDER_RUN = "01890000-0000-7000-8000-000000000000"
PRODUCER = "https://example.org/tests/1.0"


def run_event(
    event_type: str | None = "START",
    at: str = "2024-05-01T10:00:00Z",
    run: str = RUN,
    job: str = "load",
    **rest: Any,
) -> Json:
    """A run event; `run_facets`, `job_facets`, and any other key as it stands."""
    run_facets, job_facets = rest.pop("run_facets", None), rest.pop("job_facets", None)
    return {
        "eventType": event_type,
        "eventTime": at,
        "run": {"runId": run} | ({"facets": run_facets} if run_facets else {}),
        "job": {"namespace": JOBS, "name": job} | ({"facets": job_facets} if job_facets else {}),
        "producer": PRODUCER,
        **rest,
    }


def dataset(name: str, namespace: str = TABLES, **facets: Any) -> Json:
    return {"namespace": namespace, "name": name} | ({"facets": facets} if facets else {})


def schema(**types: str) -> Json:
    return {"fields": [{"name": name, "type": kind} for name, kind in types.items()]}
