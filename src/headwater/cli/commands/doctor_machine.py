"""`headwater doctor` without a server: the settings, the store and the machine they are for."""

import platform
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from headwater import __version__
from headwater.answers.gaps import find_jobs_with_gaps
from headwater.cli.commands.doctor_server import Finding, describe_lineage
from headwater.config import Settings, load_settings
from headwater.errors import HeadwaterError
from headwater.store.engine import SQLITE_VERSION, Engine, describe, open_engine, read_clock
from headwater.store.failures import DriverError, find_reason
from headwater.store.migrate import HEAD, REVISIONS, current_revision

_LITTLE_SPACE = 1_000_000_000
_CLOCKS_APART_SECONDS = 30
_OLDEST_SQLITE = (3, 35, 0)
# A clock before this was never set.
_FIRST_RELEASE = datetime(2026, 1, 1, tzinfo=UTC)


def examine() -> Iterator[Finding]:
    """Run all checks; the later ones need the settings to be readable."""
    yield _examine_versions()
    try:
        settings = load_settings()
    except HeadwaterError as error:
        yield Finding("settings", "problem", error.message, "fix it, then run this again")
        return
    yield Finding("settings", "ok", "readable", "")
    yield _examine_disk(settings)
    yield from _with_store(settings, _examine_store, _examine_clock, _examine_gaps)


def _examine_versions() -> Finding:
    sqlite = ".".join(map(str, SQLITE_VERSION))
    found = f"headwater {__version__}, Python {platform.python_version()}, SQLite {sqlite}"
    if SQLITE_VERSION < _OLDEST_SQLITE:
        return Finding("versions", "problem", found, "use a Python with SQLite 3.35 or newer")
    return Finding("versions", "ok", found)


def _examine_disk(settings: Settings) -> Finding:
    folder = settings.data.absolute()
    existing = next(part for part in (folder, *folder.parents) if part.exists())
    free = shutil.disk_usage(existing).free
    found = f"{free / 1e9:,.1f} GB free for {settings.data}"
    if not _is_writable(existing):
        return Finding("disk", "problem", f"{existing} is not writable", "change its owner")
    if free < _LITTLE_SPACE:
        return Finding("disk", "warning", found, "free some space, or run: headwater db prune")
    return Finding("disk", "ok", found)


def _is_writable(folder: Path) -> bool:
    probe = folder / ".headwater-doctor"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


def _with_store(settings: Settings, *checks: Callable[[Engine], Finding]) -> Iterator[Finding]:
    try:
        engine = open_engine(settings.store_url)
    except HeadwaterError as error:
        yield Finding("store", "problem", error.message, "set store, or --store")
        return
    try:
        for check in checks:
            yield check(engine)
    finally:
        engine.dispose()


def _is_absent(engine: Engine) -> bool:
    """Whether a store is a file that is not there yet."""
    return engine.dialect.name == "sqlite" and not Path(engine.url.database or "").exists()


def _examine_store(engine: Engine) -> Finding:
    where = describe(engine.url)
    if _is_absent(engine):
        return Finding("store", "ok", f"{where}: does not exist yet; the first start creates it")
    try:
        with engine.connect() as connection:
            revision = current_revision(connection)
    except DriverError as error:
        found = f"{where}: {find_reason(error)}"
        return Finding("store", "problem", found, "start it, or fix the URL")
    if revision is not None and revision not in REVISIONS:
        return Finding(
            "store", "problem", f"{where}: revision {revision} is newer", "upgrade Headwater"
        )
    if revision != HEAD:
        return Finding(
            "store", "warning", f"{where}: revision {revision}", "run: headwater db upgrade"
        )
    return Finding("store", "ok", f"{where}: revision {revision}")


def _examine_gaps(engine: Engine) -> Finding:
    """Count the jobs of which producers did not recognise everything."""
    if _is_absent(engine):
        return describe_lineage(0, [])
    try:
        with engine.connect() as connection:
            if current_revision(connection) != HEAD:
                return Finding("lineage", "ok", "not examined: the store is not up to date")
            found = find_jobs_with_gaps(connection)
    except (DriverError, HeadwaterError):
        return Finding("lineage", "ok", "not examined: the store does not answer")
    return describe_lineage(
        len(found.jobs), [(name, count) for (_, name), count in found.counts.most_common()]
    )


def _examine_clock(engine: Engine) -> Finding:
    """An event far ahead of the receiver's clock is refused, so a wrong clock loses senders."""
    here = datetime.now(UTC)
    if here < _FIRST_RELEASE:
        return Finding("clock", "problem", f"{here:%Y-%m-%d %H:%M:%S} UTC", "set it by NTP")
    if (there := read_clock(engine)) is not None:
        apart = abs((there - here).total_seconds())
        if apart > _CLOCKS_APART_SECONDS:
            found = f"{apart:,.0f} seconds from the database's"
            return Finding("clock", "warning", found, "set both clocks by NTP")
    return Finding("clock", "ok", f"{here:%Y-%m-%d %H:%M:%S} UTC")
