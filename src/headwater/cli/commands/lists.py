"""`headwater jobs`, `datasets`, `runs`: what a server knows, as lists."""

from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.output.printing import Output, OutputOption, print_rows

Row = dict[str, Any]

NamespaceOption = Annotated[
    str | None, typer.Option("--namespace", "-n", help="Only this namespace.")
]
LimitOption = Annotated[int, typer.Option("--limit", min=1, help="Maximum number to print.")]

_PAGE = 100


def jobs(
    namespace: NamespaceOption = None,
    limit: LimitOption = 100,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """List the jobs, each with the state of its last run and what it reads and writes.

    For example: headwater jobs --namespace shop
    """
    with Client(server) as client:
        rows = [_job_row(job) for job in _in_namespaces(client, "jobs", namespace, limit)]
    columns = ("namespace", "name", "type", "state", "updated", "reads", "writes")
    print_rows(rows, columns, output, empty="no jobs")


def datasets(
    namespace: NamespaceOption = None,
    limit: LimitOption = 100,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """List the datasets, each with its number of fields and when it was written.

    For example: headwater datasets --namespace kafka://broker:9092
    """
    with Client(server) as client:
        found = _in_namespaces(client, "datasets", namespace, limit)
        rows = [_dataset_row(dataset) for dataset in found]
    columns = ("namespace", "name", "type", "fields", "updated", "written", "tags")
    print_rows(rows, columns, output, empty="no datasets")


def runs(
    job: Annotated[str | None, typer.Argument(help="Only runs of this job.")] = None,
    namespace: NamespaceOption = None,
    limit: LimitOption = 20,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """List runs, newest first: of one job, or the latest of all jobs.

    For example: headwater runs daily_revenue_summary
    """
    with Client(server) as client:
        found = [
            run
            for known in _in_namespaces(client, "jobs", namespace, limit=None)
            if job is None or known["name"] == job
            for run in _runs_of(client, known, limit if job else 0)
        ]
    found.sort(key=lambda run: run["startedAt"] or "", reverse=True)
    columns = ("job", "id", "state", "started", "ended", "seconds", "restartOf", "replacedBy")
    print_rows([_run_row(run) for run in found[:limit]], columns, output, empty="no runs")


def _runs_of(client: Client, job: Row, limit: int) -> list[Row]:
    """A job's runs: as many as requested, or the latest that come with it."""
    if not limit:
        return list(job["latestRuns"])
    path = f"/api/v1/namespaces/{_escaped(job['namespace'])}/jobs/{_escaped(job['name'])}/runs"
    return list(client.read(path, limit=limit)["runs"])


def _in_namespaces(
    client: Client, noun: str, namespace: str | None, limit: int | None
) -> Iterator[Row]:
    """All jobs or datasets of one namespace or of all, page by page."""
    found = [namespace] if namespace else _namespaces(client)
    left = limit
    for name in found:
        path = f"/api/v1/namespaces/{_escaped(name)}/{noun}"
        for row in _paged(client, path, noun):
            if left == 0:
                return
            yield row
            left = None if left is None else left - 1


def _namespaces(client: Client) -> list[str]:
    return [row["name"] for row in _paged(client, "/api/v1/namespaces", "namespaces")]


def _paged(client: Client, path: str, key: str) -> Iterator[Row]:
    offset = 0
    while page := client.read(path, limit=_PAGE, offset=offset)[key]:
        yield from page
        if len(page) < _PAGE:
            return
        offset += _PAGE


def _escaped(name: str) -> str:
    return quote(name, safe="")


def _job_row(job: Row) -> Row:
    last = job["latestRun"] or {}
    return {
        "namespace": job["namespace"],
        "name": job["name"],
        "type": job["type"],
        "state": _state(last),
        "updated": _short(job["updatedAt"]),
        "reads": len(job["inputs"]),
        "writes": len(job["outputs"]),
    }


def _state(run: Row) -> str | None:
    """The state of a run; a connector that was deleted is not one that was stopped."""
    facets, state = run.get("facets") or {}, run.get("state")
    # From inside of its cluster, or from outside.
    reported = [facets.get(name) or {} for name in ("kafka_connect", "kafka_connect_rest")]
    is_deleted = any(each.get("reason") == "deleted" for each in reported)
    return f"{state} (deleted)" if is_deleted and state not in (None, "RUNNING") else state


def _dataset_row(dataset: Row) -> Row:
    return {
        "namespace": dataset["namespace"],
        "name": dataset["name"],
        "type": dataset["type"],
        "fields": len(dataset["fields"]),
        "updated": _short(dataset["updatedAt"]),
        "written": _short(dataset["lastModifiedAt"]),
        "tags": ", ".join(dataset["tags"]),
    }


def _run_row(run: Row) -> Row:
    milliseconds = run["durationMs"]
    return {
        "job": (run["job"] or {}).get("name"),
        "id": run["id"],
        "state": run["state"],
        "started": _short(run["startedAt"]),
        "ended": _short(run["endedAt"]),
        "seconds": None if milliseconds is None else milliseconds / 1000,
        "restartOf": run.get("restartOf"),
        "replacedBy": run.get("replacedBy"),
    }


def _short(time: str | None) -> str | None:
    """A time to the second; all are UTC."""
    return None if time is None else f"{time[:10]} {time[11:19]}"
