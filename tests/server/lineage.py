"""What the tests of lineage share: node ids, edges that one can read, edits, and many rows at once.

Histories are written with the events of `tests.graph.events`: minutes since noon, runs by number.
"""

from collections.abc import Iterable
from typing import Any

import httpx2
import msgspec
from sqlalchemy import insert

from headwater.model.event import decode_event
from headwater.model.merge import Row
from headwater.model.project import project
from headwater.model.relations import (
    Alias,
    Authority,
    DatasetRow,
    Direction,
    JobDataset,
    JobRow,
    Joined,
    RunDataset,
    RunRow,
)
from headwater.model.values import instant
from headwater.model.values.ids import (
    UNREPORTED,
    dataset_id,
    digest,
    job_id,
    namespace_id,
    run_name,
)
from headwater.store import tables
from headwater.store.write.writer import open_writer
from testing.api import Api
from testing.events.history import JOBS, NOON, TABLES, minute
from testing.events.minimal import Json

LONG_AGO = "1990-01-01"

Uses = tuple[str, Iterable[str], Iterable[str]]


def ds(name: str, namespace: str = TABLES) -> str:
    """A dataset's node id."""
    return f"dataset:{namespace}:{name}"


def job(name: str, namespace: str = JOBS) -> str:
    return f"job:{namespace}:{name}"


def column(name: str) -> str:
    """The node id of `totals.amount`."""
    dataset, _, field = name.rpartition(".")
    return f"datasetField:{TABLES}:{dataset}:{field}"


def at(minutes: float) -> str:
    """A time as it is asked for."""
    return instant.format_instant(minute(minutes))


def short(node_id: str) -> str:
    """A node's name; what is in another namespace keeps its id."""
    kind, _, rest = node_id.partition(":")
    for prefix in (f"{TABLES}:", f"{JOBS}:"):
        if rest.startswith(prefix):
            name = rest.removeprefix(prefix)
            return name.replace(":", ".") if kind == "datasetField" else name
    return node_id


def lineage(api: Api, node_id: str, **parameters: Any) -> Any:
    return api.read("/lineage", nodeId=node_id, **parameters)


def nodes_of(answer: Any) -> set[str]:
    return {short(node["id"]) for node in answer["graph"]}


def edges_of(answer: Any) -> set[str]:
    """The edges of a graph as `orders -> load`; each must be told at both its ends."""
    outs, ins = (
        sorted(_edge(edge) for node in answer["graph"] for edge in node[side])
        for side in ("outEdges", "inEdges")
    )
    assert outs == ins
    assert len(set(outs)) == len(outs)
    for node in answer["graph"]:
        assert all(edge["origin"] == node["id"] for edge in node["outEdges"])
        assert all(edge["destination"] == node["id"] for edge in node["inEdges"])
    return set(outs)


def _edge(edge: Json) -> str:
    kind = f" ({edge['kind']})" if "kind" in edge else ""
    return f"{short(edge['origin'])} -> {short(edge['destination'])}{kind}"


def column_edges_of(answer: Any) -> set[str]:
    """The edges between columns, as Marquez writes them: the origin is the node itself."""
    found, back = set(), set()
    for node in answer["graph"]:
        here = short(node["id"])
        for side in ("inEdges", "outEdges"):
            assert all(edge["origin"] == node["id"] for edge in node[side])
        found |= {f"{here} -> {short(edge['destination'])}" for edge in node["outEdges"]}
        back |= {f"{short(edge['destination'])} -> {here}" for edge in node["inEdges"]}
    assert found == back
    return found


def node_of(answer: Any, node_id: str) -> Any:
    (found,) = (node for node in answer["graph"] if node["id"] == node_id)
    return found


def refused(answer: httpx2.Response, status: int, where: str | None = None) -> Json:
    """Check that an answer is the one error shape, maybe with what is near, and give it."""
    assert answer.status_code == status, f"{answer.status_code}: {answer.text[:1000]}"
    error = answer.json()
    assert isinstance(error, dict)
    assert error["code"] == status
    assert error["message"]
    assert set(error) <= {"code", "message", "path", "reason", "near"}
    if where is not None:
        assert error["path"] == where, error
    return error


def edit(api: Api, *events: Json) -> None:
    """Store what a person did; such events are made by the API, and not posted."""
    writer = open_writer(api.engine)
    try:
        writer.write([project(decode_event(msgspec.json.encode(event))) for event in events])
    finally:
        writer.close()


def bulk_run(name: str) -> str:
    """The id of the run that a job has in a filled store."""
    return run_name(digest(name.encode()), None)


def fill(api: Api, jobs: Iterable[Uses], aliases: Iterable[tuple[str, str]] = ()) -> None:
    """Put rows of jobs that each ran once into the store: events would take minutes."""
    names: set[str] = set()
    rows: dict[str, list[Row]] = {"job": [], "run": [], "run_dataset": [], "job_dataset": []}
    for name, reads, writes in jobs:
        id, run = job_id(JOBS, name), digest(name.encode())
        rows["job"].append(JobRow(id, namespace_id(JOBS), JOBS, name, NOON, NOON))
        rows["run"].append(
            RunRow(run, job=id, first_event=NOON, last_event=NOON, first_datasets=NOON)
        )
        for direction, used in ((Direction.INPUT, reads), (Direction.OUTPUT, writes)):
            for each in used:
                names.add(each)
                key = (dataset_id(TABLES, each), int(direction))
                rows["run_dataset"].append(RunDataset(run, *key, NOON, NOON))
                rows["job_dataset"].append(JobDataset(id, *key, UNREPORTED, UNREPORTED, NOON, NOON))
    pairs = list(aliases)
    names |= {name for pair in pairs for name in pair}
    rows["alias"] = [
        Alias(
            dataset_id(TABLES, one),
            dataset_id(TABLES, other),
            int(Authority.EVENT),
            int(Joined.TABLE),
            1,
        )
        for one, other in pairs
    ]
    rows["dataset"] = [
        DatasetRow(dataset_id(TABLES, name), namespace_id(TABLES), TABLES, name) for name in names
    ]
    with api.engine.begin() as connection:
        for relation, its_rows in rows.items():
            if not its_rows:
                continue
            if connection.dialect.name == "sqlite":
                places = ", ".join("?" * len(its_rows[0]))
                connection.exec_driver_sql(f"INSERT INTO {relation} VALUES ({places})", its_rows)
            else:
                columns = type(its_rows[0])._fields  # type: ignore[attr-defined]
                values = [dict(zip(columns, row, strict=True)) for row in its_rows]
                connection.execute(insert(tables.TABLES[relation]), values)
