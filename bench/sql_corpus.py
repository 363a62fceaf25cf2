"""How many SQL statements of a folder of documentation or tests a dialect parses, to their tables.

    python -m bench.sql_corpus flink PATH...      # a clone, or any folder or file
    python -m bench.sql_corpus ksqldb PATH... --show 20

Statements are taken from `.sql` files, from SQL blocks of Markdown, from the queries of Flink's
planner tests (XML), and from the `statements` of ksqlDB's test cases (JSON). Nothing of them is
kept. What is grammar or output and no statement is counted apart, by rule (`_NOTATION`), and so are
statements that cannot have lineage (SHOW, SET, DROP, ...). Test cases that expect a syntax error
are no statements. A statement with lineage counts as parsed if its tree also has each name that
its text has after FROM, JOIN or INTO.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

import headwater.sql.dialects  # noqa: F401  registers the dialects

_FENCE = re.compile(
    r"^[ \t>]*```[ \t]*(?P<language>[\w-]*)[^\n]*\n(?P<body>.*?)^[ \t>]*```"
    r"|\{\{<\s*highlight\s+(?P<other>\w+)[^>]*>\}\}(?P<inside>.*?)\{\{<\s*/\s*highlight",
    re.M | re.S,
)
_LANGUAGES = ("sql", "ksql", "flink", "sql-client")
_PROMPT = re.compile(r"^[ \t]*(?:Flink SQL|ksql|ksqldb|flink)>[ \t]?", re.M | re.I)
_CONTINUED = re.compile(r"^> ?", re.M)
# Output that stands below a statement in the same block.
_OUTPUT = re.compile(r"^\s*(\+-|\||-{4,}|={4,}|\[INFO\]|\[ERROR\])")
# Grammar and placeholders: `[IF NOT EXISTS]`, `{ a | b }`, `<name>`, `...`, `FROM a | b`.
_NOTATION = re.compile(
    r"\.\.\.|…|::=|\[\s*,|\[\s*[A-Z_]+[A-Z_ ]*[\](]|\[\s*[A-Z]+ [<{\w]|\{\s*[^}'\"$]*\|[^}]*\}"
    r"|(?<![A-Za-z>])<(?!ARRAY|MAP|ROW|STRUCT)[a-z_]+[\w ]*>|\{\{|\{%|<(?:[a-z]+[-_ ])+[a-z]+>"
    r"|<[A-Z]+_[A-Z_]+>|\[\w+\.\]|\[\w+ =>|\. \. \."
    r"|(?:FROM|JOIN)\s+\w+\s*\|\s*\w|\b(?:window|select)_expression\b|\boperator value\b",
)
_LINEAGE = ("SELECT", "WITH", "INSERT", "CREATE", "UPDATE", "DELETE", "EXECUTE", "MERGE", "(")
_NO_LINEAGE = (
    *("ALTER", "DROP", "SHOW", "LIST", "DESCRIBE", "DESC", "EXPLAIN", "SET", "UNSET", "RESET"),
    *("USE", "ADD", "REMOVE", "LOAD", "UNLOAD", "CALL", "ANALYZE", "TRUNCATE", "BEGIN", "END"),
    *("COMPILE", "DEFINE", "UNDEFINE", "PRINT", "TERMINATE", "PAUSE", "RESUME", "ASSERT", "RUN"),
    "VALUES",
)
# Folders in the dialects of Hive (Flink has another parser for it) and of a PostgreSQL beside it.
_OTHER_DIALECTS = ("hive-dialect", "postgres-image")
_PART = r"(?:`[^`]+`|\"[^\"]+\"|\$\{\w+\}|[\w$]+)"
_TABLE_NAME = re.compile(
    r"(?<!DISTINCT )\b(?:FROM|JOIN|INTO|OVERWRITE)\s+(?:TABLE\s+)?"
    rf"({_PART}(?:\s*\.\s*{_PART})*)(?!\s*\(|[\w$.{{])",
    re.I,
)
_NO_NAMES = ("LATERAL", "SELECT", "TABLE", "UNNEST", "VALUES", "WHERE")
_FIRST_WORD = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*(\w+|\((?=\s*(?:\(|SELECT|WITH)\b))", re.S | re.I
)


class Found(NamedTuple):
    """A statement and where it stands."""

    text: str
    path: str
    is_lineage: bool


def main() -> int:
    """Print counts; return 1 if less than 97 % of the statements with lineage are parsed."""
    parser = argparse.ArgumentParser(prog="python -m bench.sql_corpus", description=__doc__)
    parser.add_argument("dialect", choices=["flink", "ksqldb"])
    parser.add_argument("path", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N failures")
    options = parser.parse_args()
    statements, notation = _gather(options.path)
    started = time.process_time()
    failures = [
        (found, reason)
        for found in statements
        if (reason := _failure(found, options.dialect)) is not None
    ]
    seconds = time.process_time() - started
    for found, reason in failures[: options.show]:
        print(f"\n{found.path}: {reason}\n{found.text}")
    shares = [_report("with lineage", statements, failures, True)]
    shares.append(_report("without lineage", statements, failures, False))
    print(f"left out as grammar or placeholders: {notation}")
    print(f"CPU-ms a statement: {1000 * seconds / max(len(statements), 1):.2f}")
    return 0 if shares[0] >= 0.97 else 1


def _report(
    what: str, statements: list[Found], failures: list[tuple[Found, str]], is_lineage: bool
) -> float:
    total = sum(found.is_lineage == is_lineage for found in statements)
    failed = Counter(
        reason.partition(" Line ")[0]
        for found, reason in failures
        if found.is_lineage == is_lineage
    )
    parsed = total - sum(failed.values())
    share = parsed / total if total else 1.0
    print(f"{what}: {parsed:,} of {total:,} parsed ({100 * share:.1f} %)")
    for reason, count in failed.most_common(8):
        print(f"  {count} x {reason}")
    return share


def _failure(found: Found, dialect: str) -> str | None:
    try:
        trees = sqlglot.parse(found.text, dialect=dialect)
    except SqlglotError as error:
        return str(error).splitlines()[0]
    if not found.is_lineage:
        return None
    missing = _missing_tables(found.text, [tree for tree in trees if tree])
    return f"tables are missing: {', '.join(missing)}" if missing else None


def _missing_tables(text: str, trees: list[exp.Expr]) -> list[str]:
    """Names that stand where tables do in the text, and are nowhere in the tree.

    Those of columns are left out: `EXTRACT(DAY FROM ts)` has one there.
    """
    kinds = (exp.Table, exp.CTE, exp.Column)
    known = {
        node.alias_or_name.upper() if isinstance(node, exp.CTE) else node.name.upper()
        for tree in trees
        for node in tree.find_all(*kinds)
    }
    named = (match[1] for match in _TABLE_NAME.finditer(_without_strings(text)))
    last = {name.rpartition(".")[2].strip('`" ').upper() for name in named}
    return sorted(name for name in last - known if not name.isdigit() and name not in _NO_NAMES)


def _gather(paths: Iterable[Path]) -> tuple[list[Found], int]:
    found: dict[str, Found] = {}
    notation: set[str] = set()
    for path in sorted(file for each in paths for file in _files(each)):
        for text in _texts(path):
            word = _FIRST_WORD.match(text)
            first = word[1].upper() if word else ""
            if first not in _LINEAGE and first not in _NO_LINEAGE:
                continue
            if path.suffix == ".md" and _NOTATION.search(_without_strings(text)):
                notation.add(text)
            else:
                found.setdefault(text, Found(text, str(path), first in _LINEAGE))
    return list(found.values()), len(notation)


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for file in path.rglob("*"):
        is_read = file.suffix in (".md", ".sql", ".q", ".ksql", ".xml")
        if any(part in _OTHER_DIALECTS for part in file.parts):
            continue
        if file.is_file() and (is_read or "query-validation-tests" in file.parts):
            yield file


def _texts(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".json":
        for statement in _test_statements(text):
            yield from _split(statement)
    elif path.suffix == ".xml":
        for query in re.finditer(r'<Resource name="sql">\s*<!\[CDATA\[(.*?)\]\]>', text, re.S):
            yield from _split(query[1])
    elif path.suffix == ".md":
        for block in _FENCE.finditer(text):
            if (block["language"] or block["other"] or "").lower() in _LANGUAGES:
                for part in _paragraphs(_cleaned(block["body"] or block["inside"] or "")):
                    yield from _split(part)
    else:
        yield from _split(text)


def _test_statements(text: str) -> Iterator[str]:
    """The statements of ksqlDB's test cases, `{FORMAT}` filled in; none of syntax errors."""
    # The files have comments, which JSON has not.
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S) if "/*" in text else text
    for case in json.loads(text).get("tests", []):
        message = json.dumps(case.get("expectedException", {}))
        if re.search(r"line \d+:\d+|[Ss]yntax|ParseFailed|mismatched input|extraneous", message):
            continue
        for statement in case.get("statements", []):
            formats = case.get("format") or ["JSON"]
            yield statement.replace("{FORMAT}", str(formats[0]))


def _cleaned(block: str) -> str:
    """A block of documentation without prompts and output."""
    if _PROMPT.search(block):
        block = _CONTINUED.sub("", _PROMPT.sub("", block))
    lines = block.splitlines()
    return "\n".join(line for line in lines if not _OUTPUT.match(line))


def _paragraphs(block: str) -> Iterator[str]:
    """Documentation often leaves out the semicolon before an empty line and the next statement."""
    start = 0
    for gap in re.finditer(r"\n[ \t]*\n(?=(?:--[^\n]*\n)*(?:SELECT|INSERT|CREATE)\b)", block):
        part = _without_strings(block[start : gap.start()])
        is_whole = part.count("(") == part.count(")") and ";" not in part
        if is_whole and not re.search(r"\b(?:AS|BEGIN|SET)\s*$", part, re.I):
            yield block[start : gap.start()]
            start = gap.end()
    yield block[start:]


def _without_strings(text: str) -> str:
    return re.sub(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", "''", text, flags=re.S)


def _split(text: str) -> Iterator[str]:
    """Statements, apart at semicolons outside quotes and comments; a statement set is one."""
    start, is_set = 0, False
    pattern = r"'(?:[^']|'')*'|`[^`]*`|--[^\n]*|/\*.*?\*/|(?P<end>;)"
    for token in re.finditer(pattern, text, re.S):
        if token["end"] is None:
            continue
        part = text[start : token.start()].strip()
        is_set = is_set or bool(re.search(r"\bSTATEMENT\s+SET\b", part, re.I))
        if is_set and not re.search(r"(?:^|;)\s*END$", part, re.I):
            continue
        yield part
        start, is_set = token.end(), False
    rest = text[start:].strip()
    if rest:
        yield rest


if __name__ == "__main__":
    sys.exit(main())
