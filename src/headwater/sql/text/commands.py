"""Statements that sqlglot keeps as text, put another way that means the same for lineage."""

import re
from collections.abc import Iterator

from sqlglot import exp, parse_one
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

MAX_COMMAND = 20_000
"""Characters of a statement that is looked at as a whole."""

_NAME = r"[^\s(),;]+"
_PARTITION = rf"ALTER\s+TABLE\s+(?P<a>{_NAME})\s+(?:ON\s+CLUSTER\s+\S+\s+)?"
_IMMEDIATE = r"EXEC(?:UTE)?(?:\s+IMMEDIATE|\s+(?:\w+\.)*sp_executesql)?\s*\(?\s*N?"
# Statements that sqlglot keeps as text, and what each is for lineage, in a dialect that has it.
_COMMANDS = tuple(
    (re.compile(rf"\s*{pattern}", re.I | re.S), template, dialect)
    for pattern, template, dialect in (
        (rf"{_PARTITION}APPEND\s+FROM\s+(?P<b>{_NAME})", "INSERT INTO {a} SELECT * FROM {b}", None),
        (
            rf"{_PARTITION}EXCHANGE\s+PARTITION\b.*?\bWITH\s+TABLE\s+(?P<b>{_NAME})",
            "INSERT INTO {a} SELECT * FROM {b}",
            None,
        ),
        (
            rf"{_PARTITION}MOVE\s+PARTITION\b.*?\bTO\s+TABLE\s+(?P<b>{_NAME})",
            "INSERT INTO {b} SELECT * FROM {a}",
            None,
        ),
        (
            rf"{_PARTITION}SWITCH\s+(?:PARTITION\s+\S+\s+)?TO\s+(?P<b>{_NAME})",
            "INSERT INTO {b} SELECT * FROM {a}",
            None,
        ),
        (rf"{_PARTITION}UPDATE\s+(?P<b>.*)", "UPDATE {a} SET {b}", None),
        (rf"{_PARTITION}DELETE\s+(?P<b>WHERE\b.*)", "DELETE FROM {a} {b}", None),
        (
            rf"{_PARTITION}(?:REPLACE|ATTACH)\s+PARTITION\b[^;]*?\bFROM\s+(?P<b>{_NAME})\s*$",
            "INSERT INTO {a} SELECT * FROM {b}",
            None,
        ),
        (
            rf"{_PARTITION}ATTACH\s+PARTITION\s+(?P<b>{_NAME})\s+(?:FOR|DEFAULT)",
            "INSERT INTO {a} SELECT * FROM {b}",
            None,
        ),
        (
            rf"EXCHANGE\s+TABLES\s+(?P<a>{_NAME})\s+AND\s+(?P<b>{_NAME})",
            "ALTER TABLE {a} SWAP WITH {b}",
            None,
        ),
        (
            rf"RENAME\s+TABLE\s+(?P<a>{_NAME})\s+TO\s+(?P<b>{_NAME})",
            "ALTER TABLE {a} RENAME TO {b}",
            None,
        ),
        (
            r"UNLOAD\s*\(\s*'(?P<a>(?:[^']|'')*)'\s*\)\s*TO\s*'(?P<b>[^']*)'",
            "COPY ({a}) TO '{b}'",
            None,
        ),
        (
            r"UNLOAD\s*\(\s*(?P<a>(?:SELECT|WITH)\b.*)\)\s*TO\s*'(?P<b>[^']*)'",
            "COPY ({a}) TO '{b}'",
            None,
        ),
        (
            r"(?P<a>(?:SELECT|WITH)\b.*?)\s+INTO\s+(?:OUT|DUMP)FILE\s+'(?P<b>[^']*)'"
            r"(?:\s+(?:FIELDS|COLUMNS|LINES|CHARACTER\s+SET)\b.*?)?(?P<c>\s+FROM\b.*)?\s*$",
            "COPY ({a}{c}) TO '{b}'",
            None,
        ),
        (
            rf"EXPORT\s+TABLE\s+(?P<a>{_NAME})\s.*?\bTO\s+'(?P<b>[^']*)'",
            "COPY {a} TO '{b}'",
            None,
        ),
        (
            rf"IMPORT\s+(?:EXTERNAL\s+)?TABLE\s+(?P<a>{_NAME})\s.*?\bFROM\s+'(?P<b>[^']*)'",
            "LOAD DATA INPATH '{b}' INTO TABLE {a}",
            "hive",
        ),
        (
            r"(?P<a>MERGE\s+INTO\b.*)\bREMOVE\s+DUPLICATES\s*$",
            "{a} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            None,
        ),
        (rf"{_IMMEDIATE}'(?P<a>(?:[^']|'')*)'", "{a}", None),
        (rf'{_IMMEDIATE}(?:""")?"(?P<a>[^"]*)"', "{a}", None),
        (
            rf"CREATE\s+(?:OR\s+REPLACE\s+)?STREAM\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<a>{_NAME})\s.*?"
            rf"\bON\s+(?:TABLE|VIEW|DYNAMIC\s+TABLE|EXTERNAL\s+TABLE|STAGE)\s+(?P<b>{_NAME})",
            'CREATE VIEW {a} AS SELECT *, NULL AS "METADATA$ACTION", NULL AS "METADATA$ISUPDATE",'
            ' NULL AS "METADATA$ROW_ID" FROM {b}',
            None,
        ),
        (
            rf"BULK\s+INSERT\s+(?P<a>{_NAME})\s+FROM\s+'(?P<b>[^']*)'",
            "LOAD DATA INPATH '{b}' INTO TABLE {a}",
            "hive",
        ),
        (
            rf"LOAD\s+DATA\b.*?\bINFILE\s+'(?P<b>[^']*)'.*?\bINTO\s+TABLE\s+(?P<a>{_NAME})",
            "LOAD DATA INPATH '{b}' INTO TABLE {a}",
            "hive",
        ),
    )
)


_PLACE = r"(?:STREAM\s*\(\s*(?P<s>[^\s()]+)\s*\)|STREAM\s+(?P<t>\S+)|(?P<u>[^\s();]+))"
_CHANGES = re.compile(
    rf"\s*(?:APPLY\s+CHANGES|(?:CREATE\s+FLOW\s+\S+\s+AS\s+)?AUTO\s+CDC)\s+INTO\s+(?:LIVE\.)?"
    rf"(?P<into>{_NAME})\s+FROM\s+{_PLACE}\s+KEYS\s*\((?P<keys>[^)]*)\)(?P<rest>.*)",
    re.I | re.S,
)
_DELETED = re.compile(
    r"APPLY\s+AS\s+DELETE\s+WHEN\s+(.*?)(?=APPLY\s+AS|SEQUENCE\s+BY|$)", re.I | re.S
)
_SEQUENCE = re.compile(
    r"SEQUENCE\s+BY\s+(.*?)(?=COLUMNS|STORED\s+AS|TRACK\s+HISTORY|$)", re.I | re.S
)
_COLUMNS = re.compile(r"COLUMNS\s+(?:\(([^)]*)\)|(\*\s*EXCEPT\s*\([^)]*\)))", re.I)


def _applied_changes(text: str) -> str | None:
    """Databricks' APPLY CHANGES INTO, or AUTO CDC INTO, as a MERGE.

    A row is found by its keys; the last of the sequence counts.
    """
    match = _CHANGES.match(text)
    if match is None:
        return None
    source = next(filter(None, (match[each] for each in "stu")))
    keys = [each.strip() for each in match["keys"].split(",")]
    deleted, sequence, columns = (p.search(match["rest"]) for p in (_DELETED, _SEQUENCE, _COLUMNS))
    listed = (columns[1] or columns[2]) if columns else "*"
    order = f" ORDER BY {sequence[1]}" if sequence else ""
    # It is of the source's columns, also of those that are not written.
    where = f" WHERE ({deleted[1]})" if deleted else ""
    on = " AND ".join(f"changed_table.{each} = changes.{each}" for each in keys)
    return (
        f"MERGE INTO {match['into']} AS changed_table USING (SELECT {listed} FROM "
        f"{source}{where}{order}) AS changes ON {on} WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    )


_CREATED = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+){0,4}?(?P<kind>TABLE|VIEW)\s+"
    rf"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>{_NAME})(?P<rest>.*)",
    re.I | re.S,
)
_QUERY = re.compile(r"\bAS\s+(?=\(?\s*(?:SELECT|WITH)\b)", re.I)
_IN_PARENTHESES = re.compile(r"\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")


def _created(text: str) -> Iterator[str]:
    """A table or view without the clauses about how it is kept, which differs by release."""
    match = _CREATED.match(text)
    if match is None:
        return
    rest = match["rest"]
    query, listed = _QUERY.search(rest), _IN_PARENTHESES.match(rest)
    start = f"CREATE {match['kind']} {match['name']}"
    if query is None:
        if listed is not None:
            yield f"{start}{listed[0]}"
        return
    if listed is not None and listed.end() <= query.start():
        yield f"{start}{listed[0]} {rest[query.start() :]}"
    yield f"{start} {rest[query.start() :]}"


def rewrite_command(text: str, dialect: Dialect) -> exp.Expr | None:
    """The tree of a statement that sqlglot does not parse, or keeps as text; or none."""
    if (merge := _applied_changes(text)) is not None:
        return _parsed(merge, dialect)
    for created in _created(text):
        if (tree := _parsed(created, dialect)) is not None:
            return tree
    for pattern, template, other in _COMMANDS:
        match = pattern.match(text)
        if match is None:
            continue
        parts = {k: (v or "").replace("''", "'") for k, v in match.groupdict().items()}
        if other:
            parts["a"] = re.sub(r"[\[\]]", "`", parts["a"])
            parts["b"] = parts["b"].replace("\\", "\\\\")
        return _parsed(template.format(**parts), other or dialect)
    return None


def _parsed(text: str, dialect: Dialect | str) -> exp.Expr | None:
    try:
        tree = parse_one(text, read=dialect)
    except (SqlglotError, RecursionError):
        return None
    if isinstance(tree, exp.Command):
        return None
    # Positions are those of another text: problems are at the statement's start.
    for node in tree.walk():
        node._meta = None
    return tree
