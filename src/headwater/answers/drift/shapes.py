"""Drift as JSON: names instead of ids."""

from collections.abc import Iterable
from typing import Any

from headwater.answers.drift.jobs import JobDrift
from headwater.graph.node_id import job_node_id
from headwater.model.relations import Direction
from headwater.model.uses import Name
from headwater.model.values.ids import run_name
from headwater.model.values.instant import format_instant
from headwater.store.engine import Connection
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.read.runs import read_runs

Shape = dict[str, Any]
_SIDES = {Direction.INPUT: "input", Direction.OUTPUT: "output"}


def drift_shape(connection: Connection, found: Iterable[JobDrift], limit: int) -> Shape:
    """The jobs that differ, and how many were looked at; jobs that never ran are apart."""
    checked = not_run = total = 0
    listed: list[JobDrift] = []
    for each in found:
        checked += 1
        if each.run is None:
            not_run += 1
        elif each.has_drift:
            total += 1
            if len(listed) < limit:
                listed.append(each)
    ids = {edge.dataset for each in listed for edge in each.edges}
    ids |= {id for each in listed for one in each.columns for id in (one.output, one.source)}
    names = StoreReader(connection).dataset_names(ids)
    runs = {each.run for each in listed if each.run is not None}
    run_ids = {key: run.id for key, run in read_runs(connection, runs).items()}
    return {
        "jobs": [_job(each, names, run_ids) for each in listed],
        "totalCount": total,
        "declaredCount": checked,
        "notRunCount": not_run,
        "isCut": total > len(listed),
    }


def _job(each: JobDrift, names: dict[bytes, Name], runs: dict[bytes, str]) -> Shape:
    run = None if each.run is None else runs.get(each.run, run_name(each.run, None))
    return {
        "id": job_node_id(*each.name),
        "namespace": each.name.namespace,
        "name": each.name.name,
        "run": run,
        "edges": [
            {
                "kind": edge.kind,
                "direction": _SIDES[edge.direction],
                **_dataset(names, edge.dataset),
                "since": format_instant(edge.since),
                "lastObservedAt": (
                    None if edge.last_observed is None else format_instant(edge.last_observed)
                ),
            }
            for edge in each.edges
        ],
        "columns": [
            {
                "kind": one.kind,
                "output": {**_dataset(names, one.output), "field": one.column},
                "input": {**_dataset(names, one.source), "field": one.field},
            }
            for one in each.columns
        ],
    }


def _dataset(names: dict[bytes, Name], dataset: bytes) -> Shape:
    found = names.get(dataset, Name("", ""))
    return {"namespace": found.namespace, "name": found.name}
