"""A script's text before it is divided: what ends a statement, or wraps some, in one dialect.

Characters are replaced one for one, so that positions stay as they are.
"""

import re

from sqlglot.dialects.dialect import Dialect

# A line that ends a batch, for the clients of SQL Server.
_GO = re.compile(r"^([ \t]*)GO(?=[ \t]*(?:\d+[ \t]*)?$)([ \t]*\d*)", re.I | re.M)
_DOLLARS = r"\$(?P<tag>\w*)\$(?P<body>.*?)\$(?P=tag)\$(?P<after>\s*LANGUAGE\s+\w+)?"
# Blocks that run, or are read as if they ran (`procedures.py`): their text is in dollar quotes.
_BLOCK = re.compile(
    r"\b(?P<head>DO(?:\s+LANGUAGE\s+\w+)?|EXECUTE\s+IMMEDIATE"
    r"|CREATE\s+(?:OR\s+REPLACE\s+)?PROCEDURE\b[^$;]*?\bAS)\s*" + _DOLLARS,
    re.I | re.S,
)
_WITH_DOLLARS = frozenset(("Postgres", "Redshift", "Snowflake", "Materialize", "RisingWave"))


def prepare_script(text: str, dialect: Dialect) -> str:
    """The text with semicolons where batches end, and without the quotes around blocks."""
    kind = type(dialect).__name__
    if kind in ("TSQL", "Fabric"):
        return _GO.sub(lambda each: f"{each[1]}; {' ' * len(each[2])}", text)
    if kind in _WITH_DOLLARS and "$" in text:
        return _BLOCK.sub(_opened, text)
    return text


def _opened(match: re.Match[str]) -> str:
    """A block without its quotes; what wrapped it goes as well, but for a procedure's head."""
    whole, start = match[0], match.start()
    body, end = match.start("body") - start, match.end("body") - start
    head = whole[:body]
    kept = head if head[:6].upper() == "CREATE" else ""
    kept = kept[: match.end("head") - start]
    blank = re.sub(r"[^\n]", " ", head[len(kept) :])
    return kept + blank + whole[body:end] + re.sub(r"[^\n]", " ", whole[end:])
