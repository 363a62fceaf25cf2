"""Backups of a store in PostgreSQL, by PostgreSQL's own programs."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine import URL

from headwater.config import environment_with
from headwater.errors import BackupFailed, NotInstalled
from headwater.store.migrate import check_revision
from headwater.store.tables import METADATA
from headwater.store.write.connections import GENERATION_LOCK

DEBIAN = Path("/usr/lib/postgresql")
_VERSION_TABLE = "alembic_version"


def dump(engine: Engine, file: Path) -> None:
    """Write the store's tables as they are at one moment, in PostgreSQL's custom format."""
    # Only ours: a database may be shared.
    tables = [f"--table={name}" for name in (*METADATA.tables, _VERSION_TABLE)]
    _run(engine, "pg_dump", "--format=custom", "--no-owner", f"--file={file}", *tables)


def restore(engine: Engine, file: Path) -> None:
    """Put a dump in the tables' place, in one transaction."""
    check_revision(_read_revision(engine, file))
    with engine.connect() as connection:
        # Held until the end, so that no writer counts on what the old store held.
        lock = {"lock": GENERATION_LOCK}
        connection.execute(text("SELECT pg_advisory_lock(:lock)"), lock)
        try:
            before = _generation(connection)
            # Or it would hold on to the tables that are replaced.
            connection.commit()
            _run(
                engine,
                "pg_restore",
                "--clean",
                "--if-exists",
                "--single-transaction",
                "--no-owner",
                "--no-privileges",
                str(file),
            )
            generation = {"generation": max(before, _generation(connection)) + 1}
            connection.execute(text("UPDATE store_state SET generation = :generation"), generation)
            connection.commit()
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), lock)
            connection.commit()


def _generation(connection: Connection) -> int:
    exists = text("SELECT to_regclass('store_state') IS NOT NULL")
    if not connection.execute(exists).scalar():
        return 0
    return int(connection.execute(text("SELECT generation FROM store_state")).scalar() or 0)


def _read_revision(engine: Engine, file: Path) -> str:
    """Read the revision out of a dump: one that this version does not know is not restored."""
    arguments = ("--data-only", f"--table={_VERSION_TABLE}", "--file=-", str(file))
    script = _run(engine, "pg_restore", *arguments, is_connecting=False)
    found = re.search(r"^COPY .*;\n(\w+)$", script, re.MULTILINE)
    if found is None:
        raise BackupFailed(f"'{file}' is not a backup of a Headwater store")
    return found[1]


def _run(engine: Engine, program: str, *arguments: str, is_connecting: bool = True) -> str:
    """Run a program on the store's database; its first words are why it failed."""
    command: Sequence[str] = (find_program(program), *arguments)
    variables = {}
    if is_connecting:
        where, password = _split_password(engine.url)
        command = (*command, "--no-password", f"--dbname={where}")
        if password:
            # By the environment: anyone on this machine can list arguments.
            variables["PGPASSWORD"] = password
    ended = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=environment_with(**variables),
    )
    if ended.returncode != 0:
        reason = ended.stderr.strip().partition("\n")[0] or f"status {ended.returncode}"
        raise BackupFailed(f"{program} failed: {reason}")
    return ended.stdout


def _split_password(url: URL) -> tuple[str, str | None]:
    """A URL for PostgreSQL's programs, and the password that stood in it."""
    query = dict(url.query)
    named = query.pop("password", None)
    bare = URL.create("postgresql", url.username, None, url.host, url.port, url.database, query)
    password = url.password or (named if isinstance(named, str) else None)
    return bare.render_as_string(hide_password=False), password


def find_program(name: str) -> str:
    """Find one of PostgreSQL's programs: the newest of Debian's packages, else on the path.

    The newest, because a program reads servers up to its own version.
    """
    versions = [path for path in DEBIAN.glob(f"*/bin/{name}") if path.parts[-3].isdecimal()]
    if versions:
        return str(max(versions, key=lambda path: int(path.parts[-3])))
    if (found := shutil.which(name)) is not None:
        return found
    remedy = "install PostgreSQL's client programs (Debian and Ubuntu: postgresql-client)"
    raise NotInstalled(name, remedy)
