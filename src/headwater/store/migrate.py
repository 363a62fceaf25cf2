"""Bringing a store to this version's tables; Alembic is loaded only where there is work for it."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from headwater.errors import StoreTooNew
from headwater.store.engine import describe
from headwater.store.failures import answering

# The newest revision, first to last; a store at any other is not ours.
REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
)
HEAD = REVISIONS[-1]
VERSION_TABLE = "alembic_version"
_UPGRADE_LOCK = 0x4845_4145


def current_revision(connection: Connection) -> str | None:
    """The revision a store is at; None where it is empty."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return None if found is None else str(found)


def read_generation(connection: Connection) -> int:
    """The store's generation; whoever gets it has a store that answers."""
    found = connection.execute(text("SELECT generation FROM store_state")).scalar_one()
    return int(found)


def upgrade(engine: Engine) -> bool:
    """Upgrade a store, safely beside other processes; returns whether anything was done."""
    with answering(f"the store at {describe(engine.url)} cannot be opened"):
        return _upgrade(engine)


def _upgrade(engine: Engine) -> bool:
    with engine.connect() as connection:
        if check_revision(current_revision(connection)) == HEAD:
            return False
    with engine.connect() as connection:
        _lock(connection)
        if check_revision(current_revision(connection)) == HEAD:
            return False
        _run_alembic(connection)
        connection.commit()
        return True


def check_revision(revision: str | None) -> str | None:
    if revision is not None and revision not in REVISIONS:
        raise StoreTooNew(
            f"the store is at revision {revision}, which this version of Headwater does not "
            f"support (only up to {HEAD}); install the version that created it, or a newer one"
        )
    return revision


def _lock(connection: Connection) -> None:
    """Let only one process upgrade; the lock ends with the transaction."""
    if connection.dialect.name == "sqlite":
        # The engine has begun the transaction; an empty write makes it the only writer.
        connection.exec_driver_sql("PRAGMA user_version = 1")
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _UPGRADE_LOCK})


def _run_alembic(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
