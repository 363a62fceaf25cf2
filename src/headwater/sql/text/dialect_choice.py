"""Which dialect a text is in, by what parses."""

import re
import time

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from headwater.sql.text.limits import DEFAULT_LIMITS, SqlLimits
from headwater.sql.text.parsing import dialect_named, parse, pieces
from headwater.sql.text.templates import Templates

# Tried in this order; the empty one is sqlglot's own, which is close to the standard.
CANDIDATES = (
    "", "spark", "postgres", "snowflake", "bigquery", "tsql", "mysql", "oracle", "databricks",
    "redshift", "trino", "duckdb", "clickhouse", "teradata", "hive", "sqlite", "flink", "ksqldb",
)  # fmt: skip
SAMPLE = 50_000
"""How many characters of a text are looked at."""

SECONDS = 2.0
"""How long dialects are tried."""

# What only one dialect has, and others may parse as something else.
_SIGNS = (
    (re.compile(r"\bKAFKA_TOPIC\s*=|\bEMIT\s+(CHANGES|FINAL)\b|\bCREATE\s+(OR\s+REPLACE\s+)?"
                r"(SOURCE\s+)?STREAM\b(?!.*\bON\s+TABLE\b)", re.I), "ksqldb"),
    (re.compile(r"'connector'\s*=|\bWATERMARK\s+FOR\b|\bSTATEMENT\s+SET\b|\bDESCRIPTOR\s*\(", re.I),
     "flink"),
)  # fmt: skip


def choose_dialect(text: str, limits: SqlLimits = DEFAULT_LIMITS) -> str:
    """The dialect in which most of a text is right; of several the first of CANDIDATES."""
    sample = text[:SAMPLE]
    signs = [name for sign, name in _SIGNS if sign.search(sample)]
    best, fewest = "", float("inf")
    deadline = time.monotonic() + SECONDS
    for name in (*signs, *(each for each in CANDIDATES if each not in signs)):
        failures = _failures(sample, dialect_named(name), limits, fewest)
        if failures == 0:
            return name
        if failures < fewest:
            best, fewest = name, failures
        if time.monotonic() > deadline:
            break
    return best


def better_dialect(statement: str, dialect: Dialect, limits: SqlLimits) -> str | None:
    """A dialect in which a statement is right that is wrong in another."""
    if len(statement) > 20_000:
        return None
    for name in CANDIDATES[1:]:
        other = dialect_named(name)
        if type(other) is not type(dialect) and _failures(statement, other, limits, 1) == 0:
            return name
    return None


def _failures(text: str, dialect: Dialect, limits: SqlLimits, most: float) -> int:
    """How many statements of a text do not parse; it need not be more exact than `most`."""
    plain = Templates(text).text
    failures = 0
    for piece in pieces(plain, dialect, limits):
        trees, problem = parse(piece, plain, dialect, limits)
        if problem is not None or any(isinstance(each, exp.Command) for each in trees):
            failures += 1
            if failures >= most:
                break
    return failures
