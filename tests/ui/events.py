"""Events for the tests of the pages, with just what a test is about written out."""

from typing import Any

PRODUCER = "https://example.com/tests"


def event(
    job: str, inputs: list[Any], outputs: list[Any], run: int = 1, **rest: Any
) -> dict[str, Any]:
    """A run's end, unless `eventType` or `eventTime` say otherwise; `run_facets` are of the run."""
    run_facets = rest.pop("run_facets", {})
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-05T10:00:00Z",
        "run": {"runId": run_id(run), "facets": run_facets},
        "job": {"namespace": "jobs", "name": job},
        "inputs": inputs,
        "outputs": outputs,
        "producer": PRODUCER,
        **rest,
    }


def run_id(number: int) -> str:
    return f"0199b6a5-0000-7000-8000-{number:012d}"


def table(name: str, columns: list[str] | None = None, **facets: Any) -> dict[str, Any]:
    fields = [{"name": column, "type": "int"} for column in columns or []]
    schema = {"schema": {**facet("SchemaDatasetFacet"), "fields": fields}} if fields else {}
    return {"namespace": "db://host", "name": name, "facets": {**schema, **facets}}


def facet(name: str) -> dict[str, str]:
    url = f"https://openlineage.io/spec/facets/1-0-0/{name}.json"
    return {"_producer": PRODUCER, "_schemaURL": url}
