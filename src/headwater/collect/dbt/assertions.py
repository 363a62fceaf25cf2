"""Tests and the freshness of sources as runs that check datasets, each with its results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.collect.dbt.artifacts import (
    FreshnessResults,
    Manifest,
    ManifestNode,
    NodeResult,
    SourceFreshness,
)
from headwater.collect.dbt.facets import PRODUCER, ProjectFacets
from headwater.collect.dbt.jobs import ProjectJobs
from headwater.collect.dbt.runs import NOT_RUN, Invocation, find_times, read_time
from headwater.collect.dbt.tables import ProjectTable, ProjectTables

Json = dict[str, Any]


class ProjectAssertions:
    def __init__(
        self,
        manifest: Manifest,
        tables: ProjectTables,
        facets: ProjectFacets,
        jobs: ProjectJobs,
    ) -> None:
        self._nodes = manifest.nodes
        self._tables = tables
        self._facets = facets
        self._jobs = jobs

    def test_events(self, invocation: Invocation, results: Sequence[NodeResult]) -> Iterator[Json]:
        """One run a table, with the results of all tests of it."""
        by_table: dict[str, list[tuple[ManifestNode, NodeResult]]] = {}
        for result in results:
            node = self._nodes.get(result.unique_id)
            if node is None or node.resource_type != "test" or result.status in NOT_RUN:
                continue
            if (table := self._tested(node)) is not None:
                by_table.setdefault(table.node.unique_id, []).append((node, result))
        for unique_id, tests in by_table.items():
            yield from self._table_events(invocation, self._tables.by_id[unique_id], tests)

    def freshness_events(self, invocation: Invocation, results: FreshnessResults) -> Iterator[Json]:
        for result in results.results:
            table = self._tables.find(result.unique_id)
            if table is not None:
                yield from self._freshness(invocation, table, result)

    def _tested(self, node: ManifestNode) -> ProjectTable | None:
        """The table that a test is about: the one it stands at, else the last that it reads."""
        found = self._tables.find(node.attached_node or "")
        if found is not None:
            return found
        read = self._tables.read_by(node.parents)
        return read[-1] if read else None

    def _table_events(
        self,
        invocation: Invocation,
        table: ProjectTable,
        tests: Sequence[tuple[ManifestNode, NodeResult]],
    ) -> Iterator[Json]:
        times = [find_times(invocation, result) for _, result in tests]
        assertions = [_assertion(node, result) for node, result in tests]
        others: dict[str, ProjectTable] = {}
        for node, _ in tests:
            others |= {each.node.unique_id: each for each in self._tables.read_by(node.parents)}
        others.pop(table.node.unique_id, None)
        checked = PRODUCER.facet("DataQualityAssertionsDatasetFacet", assertions=assertions)
        dataset = self._facets.dataset(table)
        inputs = [
            {**dataset, "inputFacets": {"dataQualityAssertions": checked}},
            *(self._facets.dataset(each) for each in others.values()),
        ]
        failed = [each for each in assertions if _is_failed(each)]
        name = self._jobs.test_name(table.node)
        yield from self._events(
            invocation,
            table,
            name,
            (min(start for start, _ in times), max(end for _, end in times)),
            inputs,
            f"{len(failed)} of {len(assertions)} tests failed: "
            + ", ".join(each["name"] for each in failed[:20])
            if failed
            else "",
        )

    def _freshness(
        self, invocation: Invocation, table: ProjectTable, result: SourceFreshness
    ) -> Iterator[Json]:
        at = read_time(result.snapshotted_at, invocation.ended_at)
        status = (result.status or "error").lower()
        assertion = {
            "assertion": "freshness",
            "name": f"freshness of {table.node.name}",
            "success": status == "pass",
            "severity": "warn" if status == "warn" else "error",
        }
        if result.max_loaded_at_time_ago_in_s is not None:
            assertion["actual"] = f"{result.max_loaded_at_time_ago_in_s:.0f} s"
        if expected := _criteria(result.criteria or {}):
            assertion["expected"] = expected
        facets = {
            "dataQualityAssertions": PRODUCER.facet(
                "DataQualityAssertionsDatasetFacet", assertions=[assertion]
            )
        }
        if result.max_loaded_at:
            facets["dataQualityMetrics"] = PRODUCER.facet(
                "DataQualityMetricsInputDatasetFacet",
                columnMetrics={},
                lastUpdated=result.max_loaded_at,
            )
        inputs = [{**self._facets.dataset(table), "inputFacets": facets}]
        reason = ""
        if status not in ("pass", "warn"):
            reason = str(result.error or f"{table.node.name} is not fresh")
        name = self._jobs.freshness_name(table.node)
        yield from self._events(invocation, table, name, (at, at), inputs, reason)

    def _events(
        self,
        invocation: Invocation,
        table: ProjectTable,
        name: str,
        times: tuple[int, int],
        inputs: list[Json],
        failure: str,
    ) -> Iterator[Json]:
        job = self._jobs.job(name, self._facets.job("TEST"))
        run = invocation.run(name)
        yield PRODUCER.run_event("START", job, run, inputs, at=times[0])
        if failure:
            run["facets"]["errorMessage"] = PRODUCER.error(failure, "SQL")
        yield PRODUCER.run_event("FAIL" if failure else "COMPLETE", job, run, inputs, at=times[1])


def _assertion(node: ManifestNode, result: NodeResult) -> Json:
    """A test that warns has failed, but not its run: so dbt goes on."""
    config = node.config or {}
    kwargs = (node.test_metadata.kwargs if node.test_metadata else None) or {}
    severity = _severity(config, result)
    found: Json = {
        "assertion": node.test_metadata.name if node.test_metadata else node.name,
        "name": node.name,
        "success": result.status == "pass",
        "severity": severity,
    }
    column = kwargs.get("column_name") or node.column_name
    if isinstance(column, str) and column:
        found["column"] = column.strip('"`[]')
    if result.failures is not None:
        found |= {"actual": str(result.failures), "expected": _threshold(config, severity)}
    if node.description or result.message:
        found["description"] = node.description or result.message
    return found


def _severity(config: Mapping[str, Any], result: NodeResult) -> str:
    """What dbt made of it counts: a test of severity `error` may only have warned."""
    if result.status in ("warn", "pass"):
        stated = "warn" if result.status == "warn" else str(config.get("severity") or "error")
        return stated.lower()
    return "error"


def _is_failed(assertion: Json) -> bool:
    return not assertion["success"] and assertion["severity"] != "warn"


def _threshold(config: Mapping[str, Any], severity: str) -> str:
    """How many rows may be found: none, unless the test says otherwise."""
    stated = config.get("warn_if" if severity == "warn" else "error_if")
    return "0" if not stated or "".join(str(stated).split()) == "!=0" else str(stated)


def _criteria(criteria: Mapping[str, Any]) -> str:
    found = []
    for key in ("warn_after", "error_after"):
        limit = criteria.get(key)
        if isinstance(limit, dict) and limit.get("count") is not None:
            found.append(f"{key.replace('_', ' ')} {limit['count']} {limit.get('period')}")
    return ", ".join(found)
