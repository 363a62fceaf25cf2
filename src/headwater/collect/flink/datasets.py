"""The datasets of a job: as its SQL defines them, else as far as its plan names them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.collect.flink.counters import Counts
from headwater.collect.flink.definitions import DefinedTables
from headwater.collect.flink.operators import Operator
from headwater.collect.flink.scripts import DefinedTable, JobSql
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry
from headwater.model.naming import DatasetName, unknown_namespace
from headwater.sql import SqlTable, Statement
from headwater.sql.render.events import script_datasets
from headwater.sql.render.facets import schema_fields

Json = dict[str, Any]

# In the plan a sink may stand without its catalog and database.
_HOME = "default_catalog.default_database"


class JobDatasets(NamedTuple):
    """Inputs and outputs with their facets, the operators of each, and what is not understood."""

    inputs: list[Json]
    outputs: list[Json]
    operators: Mapping[Operator, DatasetName]
    gaps: list[GapEntry]
    query: str = ""


def describe_datasets(
    producer: Producer,
    job: Mapping[str, str],
    operators: Sequence[Operator],
    defined: DefinedTables,
    has_listener: bool,
) -> JobDatasets:
    """The datasets of a job by its name, with the SQL that names it and what defines tables."""
    sql = _choose(operators, defined.candidates)
    if sql is None:
        return _without_sql(producer, job, operators, defined)
    # What no option names is named as Flink's own listener has it in the graph.
    namespace = unknown_namespace(job["namespace"], job["name"])
    found = script_datasets(sql.statements, namespace, producer.facet)
    tables = {table.name: table for each in sql.statements for table in _tables(each)}
    names = {name: table.dataset or DatasetName(namespace, name) for name, table in tables.items()}
    inputs, outputs = map(_merged, found)
    if has_listener:
        _add_links(producer, namespace, (*inputs, *outputs), names)
    gaps = [*_gaps_of_tables(sql, tables, defined), *_gaps_of_statements(sql)]
    found_tables = _match(operators, sql, tables)
    by_operator: dict[Operator, DatasetName] = {}
    for operator in operators:
        table = found_tables.get(operator)
        if table is not None:
            by_operator[operator] = names[table]
            continue
        name = _defined_name(operator, sql) or _guessed_name(job, operator, operators)
        by_operator[operator] = name
        (inputs if operator.is_source else outputs).append(_dataset(name))
        known = f"what is understood of the SQL in {sql.file}"
        sentence = f"The plan has it, and {known} has not: is it that of this job?"
        gaps.append(GapEntry(_side(operator), name.name, sentence))
    return JobDatasets(inputs, outputs, by_operator, gaps, sql.text)


def with_counts(
    producer: Producer, datasets: JobDatasets, counts: Mapping[Operator, Counts]
) -> tuple[list[Json], list[Json]]:
    """Inputs and outputs with statistics."""
    read: dict[DatasetName, Counts] = {}
    written: dict[DatasetName, Counts] = {}
    for operator, counted in counts.items():
        name, side = datasets.operators[operator], read if operator.is_source else written
        side[name] = side.get(name, Counts()).plus(counted)
    return (
        [each | _input_statistics(producer, read.get(_name_of(each))) for each in datasets.inputs],
        [
            each | _output_statistics(producer, written.get(_name_of(each)))
            for each in datasets.outputs
        ],
    )


def _add_links(
    producer: Producer,
    namespace: str,
    datasets: Iterable[Json],
    names: Mapping[str, DatasetName],
) -> None:
    """Say that what Flink's listener reports without a namespace is one of these datasets."""
    for each in datasets:
        name = _name_of(each)
        # Of topics the listener knows the namespace.
        if name.namespace != namespace and not name.namespace.startswith("kafka://"):
            links = [(namespace, table) for table, dataset in names.items() if dataset == name]
            each.setdefault("facets", {})["symlinks"] = producer.symlinks(links)


def _choose(operators: Sequence[Operator], candidates: Sequence[JobSql]) -> JobSql | None:
    """The only SQL of a job; of several, the only one that has all tables of the plan."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    fitting = [
        sql
        for sql in candidates
        if all(
            _find_table(each, {t.name: t for s in sql.statements for t in _tables(s)}) is not None
            for each in operators
        )
    ]
    return fitting[0] if len(fitting) == 1 else None


def _without_sql(
    producer: Producer,
    job: Mapping[str, str],
    operators: Sequence[Operator],
    defined: DefinedTables,
) -> JobDatasets:
    """The datasets of tables by their definitions, else as the names of operators suggest."""
    guessed = {each: _guessed_name(job, each, operators) for each in operators}
    found: dict[Operator, DatasetName] = {}
    datasets: dict[bool, dict[DatasetName, Json]] = {True: {}, False: {}}
    gaps = []
    for each, name in guessed.items():
        table = defined.tables.get(name.name) if each.table else None
        found[each] = (table.dataset if table is not None else None) or name
        facets: Json = {}
        if table is not None and (fields := schema_fields(table.columns)):
            facets["schema"] = producer.facet("SchemaDatasetFacet", fields=fields)
        side = datasets[each.is_source]
        side.setdefault(found[each], {**_dataset(found[each]), "facets": facets})
        sentence = _gap_without_sql(each, table, defined.missing.get(name.name, ""))
        gaps.append(GapEntry(_side(each), found[each].name, sentence))
    gaps += _gaps_of_job(job, operators, defined.candidates)
    return JobDatasets([*datasets[True].values()], [*datasets[False].values()], found, gaps)


def _gap_without_sql(operator: Operator, table: DefinedTable | None, missing: str) -> str:
    if table is not None and table.dataset is not None:
        return (
            "By its definition in the SQL gateway, which does not keep the statement that uses it: "
            "columns come from the job's SQL, by --sql."
        )
    sentence = "Guessed from the name of an operator, which does not say where its data is."
    if table is not None:
        problems = " ".join(table.problems) or "its connector is not known."
        return f"{sentence} The SQL gateway defines it, but: {problems}"
    if missing:
        sentence += f" The SQL gateway does not define it: {missing.rstrip('.')}."
    return sentence + (" Give the job's SQL with --sql, or declare it." if operator.table else "")


def _gaps_of_job(
    job: Mapping[str, str], operators: Sequence[Operator], candidates: Sequence[JobSql]
) -> list[GapEntry]:
    gaps = []
    if candidates:
        files = ", ".join(dict.fromkeys(sql.file for sql in candidates))
        sentence = f"{len(candidates)} jobs of this name are in {files}: it is not known which."
        gaps.append(GapEntry("other", job["name"], sentence))
    if not operators:
        sentence = "No source or sink was found in the plan of this job."
        gaps.append(GapEntry("other", job["name"], sentence))
    return gaps


def _guessed_name(
    job: Mapping[str, str], operator: Operator, operators: Iterable[Operator]
) -> DatasetName:
    table = operator.table
    if table and "." not in table:
        # It is in the database of the other tables, if these are all in one.
        others = {each.table.rpartition(".")[0] for each in operators if "." in each.table}
        table = f"{others.pop() if len(others) == 1 else _HOME}.{table}"
    return DatasetName(unknown_namespace(job["namespace"], job["name"]), table or operator.label)


def _defined_name(operator: Operator, sql: JobSql) -> DatasetName | None:
    """Where a table is that the script defines, also if what uses it is not understood."""
    tables = {table.name: table for each in sql.tables.values() for table in each.outputs}
    found = _find_table(operator, tables)
    return tables[found].dataset if found is not None else None


def _find_table(operator: Operator, tables: Mapping[str, SqlTable]) -> str | None:
    """The table of the SQL that an operator is of, whose name may be in short there."""
    if operator.table in tables:
        return operator.table
    ends = [name for name in tables if name.endswith(f".{operator.table}")]
    return ends[0] if operator.table and len(ends) == 1 else None


def _match(
    operators: Sequence[Operator], sql: JobSql, tables: Mapping[str, SqlTable]
) -> dict[Operator, str]:
    """The table of each operator; the only one that names none has the only table left."""
    found = {each: table for each in operators if (table := _find_table(each, tables)) is not None}
    written = {table.name for each in sql.statements for table in each.outputs}
    read = {table.name for each in sql.statements for table in each.inputs}
    for is_source, names in ((True, read), (False, written)):
        nameless = [each for each in operators if each.is_source == is_source and not each.table]
        taken = {table for each, table in found.items() if each.is_source == is_source}
        left = [name for name in tables if name in names - taken]
        if len(nameless) == len(left) == 1:
            found[nameless[0]] = left[0]
    return found


def _tables(statement: Statement) -> list[SqlTable]:
    return [each for each in (*statement.inputs, *statement.outputs) if not each.is_temporary]


def _gaps_of_tables(
    sql: JobSql, tables: Mapping[str, SqlTable], defined: DefinedTables
) -> Iterable[GapEntry]:
    """What is not understood of the definitions of tables that the job uses."""
    written = {table.name for each in sql.statements for table in each.outputs}
    for name, table in tables.items():
        side = "output" if name in written else "input"
        problems = sql.tables[name].problems if name in sql.tables else ()
        for problem in problems:
            is_theirs = name in defined.tables
            place = "the SQL gateway" if is_theirs else f"{sql.file}, line {problem.line}"
            yield GapEntry(side, name, f"{problem.message} ({place})")  # type: ignore[arg-type]
        if name not in sql.tables and table.dataset is None:
            sentence = f"{sql.file} does not define it: its catalog knows where its data is."
            if missing := defined.missing.get(name):
                sentence += f" The SQL gateway does not say: {missing}"
            yield GapEntry(side, name, sentence)  # type: ignore[arg-type]


def _gaps_of_statements(sql: JobSql) -> Iterable[GapEntry]:
    for statement in sql.statements:
        for problem in statement.problems:
            place = f"{sql.file}, line {problem.line}"
            yield GapEntry("expression", place, problem.message)


def _merged(datasets: Iterable[Json]) -> list[Json]:
    """Each dataset once: two tables may be of one topic."""
    found: dict[DatasetName, Json] = {}
    for each in datasets:
        before = found.setdefault(_name_of(each), {**each, "facets": {}})
        columns = before["facets"].get("columnLineage")
        before["facets"] |= each.get("facets", {})
        if columns is not None and "columnLineage" in each.get("facets", {}):
            new = each["facets"]["columnLineage"]
            both = {**columns, **new, "fields": {**columns["fields"], **new["fields"]}}
            if rows := [*columns.get("dataset", ()), *new.get("dataset", ())]:
                both["dataset"] = rows
            before["facets"]["columnLineage"] = both
    return list(found.values())


def _input_statistics(producer: Producer, counts: Counts | None) -> Json:
    if counts is None:
        return {}
    return producer.input_statistics(rowCount=counts.rows, size=counts.size, lag=counts.lag)


def _output_statistics(producer: Producer, counts: Counts | None) -> Json:
    if counts is None:
        return {}
    return producer.output_statistics(rowCount=counts.rows, size=counts.size)


def _name_of(dataset: Json) -> DatasetName:
    return DatasetName(dataset["namespace"], dataset["name"])


def _dataset(name: DatasetName) -> Json:
    return {"namespace": name.namespace, "name": name.name, "facets": {}}


def _side(operator: Operator) -> Any:
    return "input" if operator.is_source else "output"
