"""Empty stores in SQLite: copies of one, as an upgrade takes a tenth of a second."""

import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import Engine, make_url

from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade


def prepare_sqlite(url: str) -> str:
    """Put an empty store of this version where the URL names a file that is not there yet.

    Returns the URL. Other databases, and files that exist, stay as they are.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        file = Path(parsed.database)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_empty_store())
    return url


@cache
def _empty_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        engine = open_engine(f"sqlite:///{file}")
        upgrade(engine)
        engine.dispose()
        return file.read_bytes()


def open_prepared(url: str) -> Engine:
    """Open a store that has the tables of this version."""
    engine = open_engine(prepare_sqlite(url))
    upgrade(engine)
    return engine
