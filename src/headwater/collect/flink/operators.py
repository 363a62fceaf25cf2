"""The sources and sinks of a job, by its plan: tables where it names them, else operators."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, NamedTuple

Json = dict[str, Any]

# Operators that are not of tables stand in the plan by their names.
_SOURCE = re.compile(r"Source: (?P<name>.+)")
_SINK = re.compile(r"(?:Sink: (?P<name>.+)|(?P<writer>.+): Writer)")
# [1]:TableSourceScan(table=[[default_catalog, default_database, orders, watermark=[...]]], ...
_SCAN = re.compile(r"(?:\[(?P<number>\d+)\]:)?TableSourceScan\(table=\[\[(?P<table>[^\]\[=]+)")
# [7]:Sink(table=[default_catalog.default_database.orders], ...
_TABLE_SINK = re.compile(r"(?:\[(?P<number>\d+)\]:)?Sink\(table=\[(?P<table>[^\]]+)\]")
_TREE = re.compile(r"^[\s:|]*(?:[+:]- *)?")
_NUMBERED = re.compile(r"(?P<table>.+)\[\d+\]")
# What Flink writes otherwise in the names of metrics, and how much of an operator's name it keeps.
_NO_METRIC = str.maketrans(" .:,", "____")
_LONGEST = 80
_READ = ("numRecordsOut", "numBytesIn", "pendingRecords")
_WRITTEN = ("numRecordsIn", "numBytesSend")
# The sinks of Iceberg and of files are behind what writes: nothing arrives there but commits.
_COMMITS = re.compile(r"(?:Sink: )?(?:IcebergSink (?P<table>\S+?)|end)(?:: Writer)?")
_WRITERS = ("IcebergStreamWriter", "streaming-writer")


class Operator(NamedTuple):
    """A source or sink: the vertex it is in, its name there, and the table that it is of.

    `table` is `catalog.database.name`, or `name` alone where the plan has no more; empty for an
    operator that is not of a table.
    """

    vertex: str
    name: str
    table: str
    is_source: bool
    is_counted: bool = True
    """Whether its metrics are those of the data that is read or written."""

    @property
    def scope(self) -> str:
        """How its metrics begin."""
        return self.name[:_LONGEST].translate(_NO_METRIC)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Those of records, bytes, and of what waits to be read."""
        if not self.is_counted:
            return ()
        names = _READ if self.is_source else _WRITTEN
        return tuple(f"{self.scope}.{name}" for name in names)

    @property
    def label(self) -> str:
        """What a user knows it by."""
        return self.table or re.sub(r"^(Source|Sink): |: Writer$", "", self.name)


def find_operators(detail: Json) -> list[Operator]:
    """The sources and sinks that the details of a job have."""
    texts = {str(node.get("id")): str(node.get("description", "")) for node in plan_nodes(detail)}
    found: dict[Operator, None] = {}
    writers = []
    for vertex in objects(detail.get("vertices")):
        key, name = str(vertex.get("id")), str(vertex.get("name", ""))
        for each in unescape(texts.get(key, "")).split("<br/>"):
            line = _TREE.sub("", each).strip()
            if line in _WRITERS:
                writers.append((key, line))
            for operator in _read_line(key, name, line):
                found[operator] = None
    return _with_writers(list(found), writers)


def _with_writers(operators: list[Operator], writers: list[tuple[str, str]]) -> list[Operator]:
    """The only sink of commits by what writes before it; of several it is not known which does."""
    sinks = [each for each in operators if not each.is_counted]
    if len(sinks) != 1 or len(writers) != 1:
        return operators
    vertex, name = writers[0]
    counted = sinks[0]._replace(vertex=vertex, name=name, is_counted=True)
    return [counted if each == sinks[0] else each for each in operators]


def _read_line(vertex: str, vertex_name: str, line: str) -> Iterator[Operator]:
    """The source or sink that a line of a plan is."""
    if scan := _SCAN.match(line):
        parts = [part.strip() for part in scan["table"].split(",")][:3]
        yield _of_table(vertex, vertex_name, "Source", scan["number"], ".".join(parts), line)
    elif sink := _TABLE_SINK.match(line):
        yield _of_table(vertex, vertex_name, "Sink", sink["number"], sink["table"], line)
    elif commits := _COMMITS.fullmatch(line):
        yield Operator(vertex, line, commits["table"] or "", False, is_counted=False)
    elif source := _SOURCE.fullmatch(line):
        yield Operator(vertex, line, _table_of(source["name"]), True)
    elif (other := _SINK.fullmatch(line)) is not None and not line.endswith("Committer"):
        yield Operator(vertex, line, _table_of(other["name"] or other["writer"]), False)


def _of_table(
    vertex: str, vertex_name: str, kind: str, number: str | None, table: str, line: str
) -> Operator:
    """An operator is named after its table and number, or in full by a setting of the cluster."""
    short = f"{kind}: {table.rpartition('.')[2]}[{number}]"
    name = short if short in vertex_name else f"{kind}: {line.partition(']:')[2] or line}"
    return Operator(vertex, name, table, kind == "Source")


def _table_of(name: str) -> str:
    """The table in the name of an operator that SQL has made; empty for those of programs."""
    numbered = _NUMBERED.fullmatch(name)
    return numbered["table"] if numbered else ""


def plan_nodes(detail: Json) -> list[Json]:
    """The vertices of a job as its plan describes them."""
    plan = detail.get("plan")
    return objects(plan.get("nodes")) if isinstance(plan, dict) else []


def objects(value: Any) -> list[Json]:
    """The objects of a list; none where it is something else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
