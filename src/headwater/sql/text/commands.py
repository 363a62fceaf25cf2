"""Statements that sqlglot keeps as text, put another way that means the same for lineage."""

import re

from sqlglot import exp, parse_one
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

MAX_COMMAND = 20_000
"""Characters of a statement that is looked at as a whole."""

_NAME = r"[^\s(),;]+"
_PARTITION = rf"ALTER\s+TABLE\s+(?P<a>{_NAME})\s+"
# Statements that sqlglot keeps as text, and what each is for lineage, in a dialect that has it.
_COMMANDS = tuple(
    (re.compile(rf"\s*{pattern}", re.I | re.S), template, dialect)
    for pattern, template, dialect in (
        (rf"{_PARTITION}APPEND\s+FROM\s+(?P<b>{_NAME})", "INSERT INTO {a} SELECT * FROM {b}", None),
        (
            rf"{_PARTITION}(?:EXCHANGE|MOVE)\s+PARTITION\b.*?\b(?:WITH|TO)\s+TABLE\s+(?P<b>{_NAME})",
            "INSERT INTO {a} SELECT * FROM {b}",
            None,
        ),
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


def rewrite_command(text: str, dialect: Dialect) -> exp.Expr | None:
    """The tree of a statement that sqlglot does not parse, or keeps as text; or none."""
    if (merge := _applied_changes(text)) is not None:
        return _parsed(merge, dialect)
    for pattern, template, other in _COMMANDS:
        match = pattern.match(text)
        if match is None:
            continue
        parts = {key: value.replace("''", "'") for key, value in match.groupdict().items()}
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
    # Positions are those of another text: problems are at the statement's start.
    for node in tree.walk():
        node._meta = None
    return tree
