"""A throw-away PostgreSQL cluster with the durability of a real one."""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from urllib.parse import quote

import psycopg
from psycopg import sql

from testing.services.process import Process, StartFailed, bound_command, free_port


class PostgreSQL(Process):
    """One cluster on a port of the loopback address, with no Unix socket and no passwords."""

    name = "postgresql"
    # Fast shutdown: closes connections, then writes a checkpoint.
    stop_signal = signal.SIGINT
    # Immediate shutdown: no checkpoint for a cluster that nobody will read.
    death_signal = signal.SIGQUIT

    def __init__(self) -> None:
        # PostgreSQL refuses to run as root.
        super().__init__(user="postgres" if os.geteuid() == 0 else None)
        self.port = free_port()

    @classmethod
    def start(cls) -> Self:
        service = cls()
        try:
            service._initialise()
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    @property
    def data(self) -> Path:
        return self.directory / "data"

    def url(self, database: str) -> str:
        """The URL of a database, which is created if it is missing."""
        with self._maintenance() as connection:
            query = "SELECT 1 FROM pg_database WHERE datname = %s"
            if connection.execute(query, [database]).fetchone() is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
        return self._url(database)

    def create(self, database: str, folder: Path) -> None:
        """Create a database whose tables are in a folder of its own."""
        name = sql.Identifier(database)
        with self._maintenance() as connection:
            place = sql.SQL("CREATE TABLESPACE {} LOCATION {}")
            connection.execute(place.format(name, sql.Literal(str(folder))))
            connection.execute(sql.SQL("CREATE DATABASE {0} TABLESPACE {0}").format(name))

    def drop(self, database: str) -> None:
        """Remove a database, and end the connections that are still open to it."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        with self._maintenance() as connection:
            connection.execute(statement.format(sql.Identifier(database)))

    def command(self) -> Sequence[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        return [str(newest_bin() / "postgres"), "-D", str(self.data), *options]

    def is_ready(self) -> bool:
        try:
            self._maintenance().close()
        except psycopg.OperationalError:
            return False
        return True

    def _initialise(self) -> None:
        # C.UTF-8 is on every machine and sorts by code point, as SQLite does. Only the new files
        # are not synced: the server itself keeps fsync on.
        command = [str(newest_bin() / "initdb"), "-D", str(self.data), "--no-sync"]
        command += ["--username=postgres", "--auth-host=trust", "--auth-local=reject"]
        command += ["--encoding=UTF8", "--locale=C.UTF-8"]
        with self.log_file.open("wb") as log:
            status = subprocess.call(
                bound_command(command, signal.SIGKILL, self.user),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.directory,
            )
        if status != 0:
            raise self._failure(f"could not make its cluster (initdb: status {status})")

    def _maintenance(self) -> psycopg.Connection:
        return psycopg.connect(self._url("postgres"), autocommit=True, connect_timeout=5)

    def _url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{quote(database, safe='')}"


class LogicalPostgreSQL(PostgreSQL):
    """A cluster whose changes can be read."""

    def command(self) -> Sequence[str]:
        return [*super().command(), "-c", "wal_level=logical"]


def newest_bin() -> Path:
    """The programs of the newest PostgreSQL that Debian's packages have installed."""
    found = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    versions = [path.parent for path in found if re.fullmatch(r"\d+", path.parent.parent.name)]
    if not versions:
        raise StartFailed("PostgreSQL is missing; run scripts/install-services")
    return max(versions, key=lambda path: int(path.parent.name))
