"""Where a plan writes to: the node on top of it, and what it is the name of."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from headwater.emit.gaps import GapEntry
from headwater.model.naming import DatasetName
from headwater.spark.dataset_names import (
    name_described,
    name_files,
    name_leaf,
    name_provider,
    name_topics,
)
from headwater.spark.datasets.catalogs import name_catalog_table, name_created
from headwater.spark.datasets.delta import read_delete, read_merge, read_update
from headwater.spark.datasets.hive import find_loaded_table, name_directory, name_loaded
from headwater.spark.datasets.providers import describe_options
from headwater.spark.datasets.scala import read_map
from headwater.spark.datasets.unknown import unknown_output
from headwater.spark.plan import PlanNode
from headwater.spark.relations import Java, PlanRelation

# Columns: their names and types.
_Typed = list[tuple[str, Any]]


class Target(NamedTuple):
    """What is written to, the part of the plan that gives the rows, and the target's columns."""

    relations: list[PlanRelation]
    query: PlanNode
    columns: _Typed
    is_by_name: bool = False
    topic_options: Mapping[str, str] | None = None
    """How Kafka is written to, where a column of the rows has the topic."""
    plans: tuple[tuple[Java, PlanNode], ...] = ()
    """Plans in the JVM that give the rows, where they are no children of the one that writes."""
    gaps: tuple[GapEntry, ...] = ()
    has_none: bool = False
    """There is nothing to name: rows go nowhere, or to a function, whose writes are separate."""
    verb: str = "write"
    fixed: tuple[tuple[str, Any], ...] = ()
    """Columns that the statement itself gives a value, such as that of a partition."""
    files: tuple[PlanRelation, ...] = ()
    """What is put there as it is: nobody reads its rows."""


def is_write(kind: str) -> bool:
    """Whether a node on top of a plan writes."""
    if kind in _TARGETS or (_WRITES.match(kind) and not _DEFINES.match(kind)):
        return True
    # A command that is not known may write: only of some verbs is it certain that they do not.
    return kind.endswith("Command") and not _HARMLESS.match(kind)


def find_target(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """The target of a plan; without one that is known, the plan is all query."""
    reading = _TARGETS.get(tree.kind)
    if reading is None:
        gaps = (unknown_output(_class_of(plan)),) if is_write(tree.kind) else ()
        return Target([], tree, [], gaps=gaps)
    target = reading(plan, tree, query_name)
    if target.relations or target.gaps or target.has_none:
        return target
    return target._replace(gaps=(unknown_output(_describe(plan)),))


def _describe(plan: Java) -> str:
    """What is written to and has no name: a provider's class, or the node itself."""
    for name in ("sink", "dataSource", "table"):
        try:
            return _class_of(getattr(plan, name)())
        except Exception:
            continue
    return _class_of(plan)


def _class_of(object: Java) -> str:
    return str(object.getClass().getName()).rstrip("$")


def _stream(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """A stream's sink of the second kind."""
    relation = plan.relation()
    if relation.isDefined():
        columns = _by_name(_columns(tree, "relation"), _columns_of(plan.query()))
        return Target(name_leaf(relation.get()), tree.child("query"), columns)
    kind = str(plan.table().getClass().getSimpleName())
    if "Kafka" in kind:
        options = read_map(plan.writeOptions())
        columns, topics = _columns_of(plan.query()), name_topics(options)
        return Target(topics, tree.child("query"), columns, topic_options=options)
    if kind.rstrip("$") in _OF_SESSION:
        relations = [PlanRelation(DatasetName(_of_session(kind), query_name))]
    else:
        return _provided(plan, tree.child("query"), plan.table(), read_map(plan.writeOptions()))
    return Target(relations, tree.child("query"), _columns_of(plan.query()))


def _old_stream(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """A stream's sink of the first kind: files, or a function that is given the batches."""
    sink, table = plan.sink(), plan.catalogTable()
    query = tree.child("query")
    if _class_of(sink).rpartition(".")[2] in _FUNCTIONS:
        # What it writes is known from its own writes.
        return Target([], query, _columns_of(plan.query()), has_none=True)
    relations = name_described(str(sink.toString()))
    if table.isDefined():
        relations = [name_catalog_table(table.get(), plan)]
    if not relations:
        return _provided(plan, query, sink, read_map(plan.writeOptions()))
    return Target(relations, query, _columns_of(plan.query()))


def _provided(plan: Java, query: PlanNode, by: Java, options: dict[str, str]) -> Target:
    """What a provider writes to, by its options; a gap where it is not known."""
    kind = _class_of(by)
    relations = name_provider(kind, options, plan)
    gap = unknown_output(kind, describe_options(options))
    return Target(
        relations,
        query,
        _columns_of(plan.query()),
        plans=((plan.query(), query),),
        gaps=() if relations else (gap,),
        topic_options=options if "Kafka" in kind else None,
    )


def _saved(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Rows that are handed to a provider: JDBC, Kafka, Delta and many others."""
    (query,) = tree.expressions("query")
    return _provided(plan, query, plan.dataSource(), read_map(plan.options()))


def _inserted(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Rows added to a relation of a provider, such as a view of a database's table."""
    (query,) = tree.expressions("query")
    columns = _columns(tree, "logicalRelation")
    return Target(name_leaf(plan.logicalRelation()), query, columns, plans=((plan.query(), query),))


def _table(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Rows added to a table, or put in the place of others."""
    kind = _class_of(plan.table().table()).rpartition(".")[2]
    if kind == "NoopTable" or "StagedDelta" in kind:
        # What is created is reported by the command that creates it.
        return Target([], tree.child("query"), [], has_none=True)
    relations = name_leaf(plan.table())
    options = describe_options(read_map(plan.writeOptions()))
    gap = unknown_output(_class_of(plan.table().table()), options)
    columns, written = _columns(tree, "table"), _columns_of(plan.query())
    # Of tables that accept any schema, Spark leaves it to their connectors what goes where.
    gaps = () if relations else (gap,)
    if not plan.isByName():
        return Target(relations, tree.child("query"), _by_place(columns, written), gaps=gaps)
    # The others are written without a value.
    names = {name.lower() for name, _ in written}
    fixed = tuple(each for each in columns if each[0].lower() not in names)
    columns = _by_name(columns, written)
    return Target(relations, tree.child("query"), columns, gaps=gaps, fixed=fixed)


def _by_name(columns: _Typed, written: _Typed) -> _Typed:
    """The columns of a table that are written, in the order of the rows; new ones as they are."""
    # Spark goes by names in any case.
    known = {name.lower(): (name, kind) for name, kind in columns}
    return [known.get(name.lower(), (name, kind)) for name, kind in written]


def _by_place(columns: _Typed, written: _Typed) -> _Typed:
    """The same, where the first column is the first."""
    return [*columns, *written[len(columns) :]]


def _rewritten(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Rows changed in place by MERGE, UPDATE or DELETE, among columns that hold the operation."""
    columns = _columns(tree, "table")
    verb = str(plan.table().table().operation().command().toString()).lower()
    relations = name_leaf(plan.originalTable())
    return Target(relations, tree.child("query"), columns, is_by_name=True, verb=verb)


def _created(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """CREATE TABLE AS SELECT and its like, of a table that has a place once it is created."""
    (query,), columns = tree.expressions("query"), _columns_of(plan.query())
    plans = ((plan.query(), query),)
    created = plan.name()
    catalog, identifier = created.catalog(), created.identifier()
    try:
        table = catalog.loadTable(identifier)
        relations = [name_created(plan, catalog, identifier, table)]
    except Exception:
        name = f"{catalog.name()}.{identifier.toString()}"
        gap = GapEntry("output", name, f"{name} is created, and is not there.")
        return Target([], query, columns, plans=plans, gaps=(gap,))
    # Delta leaves the table in place where only some of its rows are replaced.
    columns = _by_name(_of_schema(table.schema()), columns)
    return Target(relations, query, columns, plans=plans)


def _merged(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Delta's MERGE, which may add columns to its target."""
    migrated = plan.migratedSchema()
    schema = _of_schema(migrated.get()) if migrated.isDefined() else []
    query, source, target = read_merge(tree, schema)
    plans = ((plan.source(), source), (plan.target(), target))
    found = _changed(plan, query, target, plans, "merge")
    return found._replace(columns=schema) if schema else found


def _updated(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Delta's UPDATE."""
    query, target = read_update(tree)
    return _changed(plan, query, target, ((plan.target(), target),), "update")


def _deleted(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Delta's DELETE."""
    query, target = read_delete(tree)
    return _changed(plan, query, target, ((plan.target(), target),), "delete")


def _changed(
    plan: Java,
    query: PlanNode,
    target: PlanNode,
    plans: tuple[tuple[Java, PlanNode], ...],
    verb: str,
) -> Target:
    leaf = plan.target().collectLeaves().apply(0)
    columns = [
        (each.fields["name"], each.fields.get("dataType"))
        for node in target.walk()
        for each in node.expressions("output")
    ]
    return Target(name_leaf(leaf), query, columns, is_by_name=True, plans=plans, verb=verb)


def _cloned(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """A table of Delta's that begins with the files of another one."""
    source, written = (
        plan.sourceTable(),
        PlanRelation(name_files(str(plan.targetPath().toString()))),
    )
    files = (PlanRelation(name_files(str(source.dataPath().toString()))),)
    return Target([written], NO_QUERY, _columns_of(source), verb="clone", files=files)


def _emptied(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """DELETE of what a table knows by itself, without reading rows."""
    leaf = plan.table().collectLeaves().apply(0)
    return Target(name_leaf(leaf), tree.child("table"), [], is_by_name=True, verb="delete")


def _hive(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Rows added to a table that Hive reads; the query lacks partitions that have a fixed value."""
    columns = _columns_of(plan.query())
    fixed = [each for each in _columns_of(plan.table()) if each[0] in _fixed_partitions(plan)]
    relation = name_catalog_table(plan.table(), plan)
    return Target([relation], tree.child("query"), columns, fixed=tuple(fixed))


def _fixed_partitions(plan: Java) -> set[str]:
    given = plan.partition()
    names = given.keys().toSeq()
    every = (names.apply(place) for place in range(names.size()))
    return {str(name) for name in every if given.apply(name).isDefined()}


def _directory(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Files that Hive writes."""
    found = name_directory(plan)
    relations = [] if found is None else [PlanRelation(found)]
    return Target(relations, tree.child("query"), _columns_of(plan.query()))


def _loaded(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Files that become files of a table, without anybody reading them."""
    table = find_loaded_table(plan)
    relations, files = [name_catalog_table(table, plan)], (PlanRelation(name_loaded(plan)),)
    columns = _columns_of(table)
    return Target(relations, NO_QUERY, columns, verb="load", files=files)


def _files(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Files in a folder, which may be a table of Spark's own catalog."""
    relation = PlanRelation(name_files(str(plan.outputPath().toString())))
    table = plan.catalogTable()
    if table.isDefined():
        relation = name_catalog_table(table.get(), plan)
    return Target([relation], tree.child("query"), _columns_of(plan.query()))


def _columns_of(query: Java) -> _Typed:
    """The columns of a query, with the types that its aliases do not have."""
    return _of_schema(query.schema())


def _of_schema(schema: Java) -> _Typed:
    fields = json.loads(str(schema.json()))["fields"]
    return [(field["name"], field["type"]) for field in fields]


def _columns(tree: PlanNode, field: str) -> _Typed:
    """The columns of a relation inside a field of the node."""
    for relation in tree.expressions(field):
        output = relation.expressions("output")
        return [(each.fields["name"], each.fields.get("dataType")) for each in output]
    if isinstance(tree.fields.get(field), int):
        output = tree.child(field).expressions("output")
        return [(each.fields["name"], each.fields.get("dataType")) for each in output]
    return []


def _of_session(kind: str) -> str:
    """What exists only within a session, by what it is: memory, console, noop."""
    return kind.rstrip("$").removesuffix("Table").removesuffix("Sink").lower() or "spark"


# The place of a query in what has none.
NO_QUERY = PlanNode("LocalRelation", {}, ())
# What the commands of connectors that write are called, and what only defines a table.
_WRITES = re.compile("Append|Copy|Delete|Insert|Load|Merge|Overwrite|Save|Update|Write")
_DEFINES = re.compile("UpdateTable|UpdateColumn|WriteFiles")
# Commands that define, describe or maintain: what rows a table has is not changed by others.
_HARMLESS = re.compile(
    "Add|Alter|Analyze|Cache|Clear|Comment|Convert|Create|Delta(Generate|Reorg)|Describe|Drop|"
    "Explain|List|Noop|Optimi[sz]e|Refresh|Repair|Reset|Restore|Set|Show|Streaming|Truncate|"
    "Uncache|Unset|Vacuum"
)
# Sinks that exist only within a session, and functions that are given the batches.
_OF_SESSION = frozenset(("ConsoleTable", "MemorySink", "NoopTable"))
_FUNCTIONS = frozenset(("ForeachBatchSink", "PythonForeachBatchSink"))
_TARGETS: dict[str, Callable[[Java, PlanNode, str], Target]] = {
    "AppendData": _table,
    "CloneTableCommand": _cloned,
    "CreateTableAsSelect": _created,
    "DeleteCommand": _deleted,
    "DeleteFromTable": _emptied,
    "InsertIntoDataSourceCommand": _inserted,
    "InsertIntoHadoopFsRelationCommand": _files,
    "InsertIntoHiveDirCommand": _directory,
    "InsertIntoHiveTable": _hive,
    "LoadDataCommand": _loaded,
    "MergeIntoCommand": _merged,
    "OverwriteByExpression": _table,
    "OverwritePartitionsDynamic": _table,
    "ReplaceData": _rewritten,
    "ReplaceTableAsSelect": _created,
    "SaveIntoDataSourceCommand": _saved,
    "UpdateCommand": _updated,
    "WriteDelta": _rewritten,
    "WriteToMicroBatchDataSource": _stream,
    "WriteToMicroBatchDataSourceV1": _old_stream,
}
