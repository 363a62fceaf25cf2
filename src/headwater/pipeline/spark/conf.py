"""Spark's own settings for a session, out of ours."""

import re
import socket
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from headwater.config import SparkSettings
from headwater.errors import BadConfig, SparkUnavailable
from headwater.pipeline.spark.packages import SETTING, parse_packages

_DEFAULTS = {
    "spark.log.level": "ERROR",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200",
    "spark.sql.session.timeZone": "UTC",
    # Without it a query that hangs would keep its process for ever.
    "spark.sql.streaming.stopTimeout": "30s",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# Spares a stack trace when Hadoop looks for a user.
_OPEN_SECURITY = "--add-opens=java.base/java.security=ALL-UNNAMED"
_LISTS_OF_FILES = ("spark.archives", "spark.files", "spark.jars", "spark.submit.pyFiles")
# Spark itself would not show these, and the command line of a process is shown to everybody.
_SECRET = re.compile(r"secret|password|token|credential|access.?key|jaas", re.IGNORECASE)
_ANSWER_SECONDS = 10


def make_conf(
    settings: SparkSettings, name: str, needs: Collection[str], scratch: Path, verbose: bool
) -> dict[str, str]:
    """All settings of a session; the user's own win, and are added to where both have a list."""
    conf = {
        **_DEFAULTS,
        "spark.app.name": name,
        "spark.driver.memory": settings.driver_memory,
        "spark.master": settings.master,
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
    }
    if verbose:
        conf["spark.log.level"] = "WARN"
    if settings.master.startswith("local"):
        conf["spark.driver.bindAddress"] = conf["spark.driver.host"] = "127.0.0.1"
        conf["spark.local.dir"] = str(scratch)
    if settings.archive and are_executors_apart(settings.master):
        conf["spark.archives"] = f"{settings.archive}#environment"
    conf |= settings.conf
    options = [_OPEN_SECURITY, f'"-Djava.io.tmpdir={scratch}"', settings.conf.get(_JAVA_OPTIONS)]
    conf[_JAVA_OPTIONS] = " ".join(filter(None, options))
    packages = parse_packages([*needs, *settings.conf.get(SETTING, "").split(",")])
    if packages:
        conf[SETTING] = ",".join(map(":".join, packages))
    for key in _LISTS_OF_FILES:
        if key in conf:
            conf[key] = ",".join(_absolute(file) for file in conf[key].split(","))
    return conf


def are_executors_apart(master: str) -> bool:
    """Whether work is done in processes that may be on other machines."""
    return re.fullmatch(r"local(\[.*\])?", master) is None


def python_of_executors(settings: SparkSettings) -> str:
    if not are_executors_apart(settings.master):
        return sys.executable
    if settings.python or settings.archive:
        return settings.python or "./environment/bin/python"
    return sys.executable if settings.master.startswith("local") else "python3"


def split_secrets(conf: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Part what may stand on a command line from what may not."""
    secret = {key: value for key, value in conf.items() if _SECRET.search(key)}
    return {key: value for key, value in conf.items() if key not in secret}, secret


def check_master(master: str) -> None:
    """Raise if nobody listens where a master should: Spark itself would try for a minute."""
    if not master.startswith("spark://"):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise BadConfig("spark.master", f"'{address}' is not HOST:PORT")
        try:
            socket.create_connection((host, int(port)), _ANSWER_SECONDS).close()
            return
        except OSError as error:
            reasons.append(f"{address}: {error.strerror or error}")
    raise SparkUnavailable(f"no Spark master answers at {'; '.join(reasons)}")


def _absolute(file: str) -> str:
    """A file's full path: the JVM is started elsewhere. URLs stay as they are."""
    return file if re.match(r"[a-z][a-z0-9+.-]*:", file) else str(Path(file).absolute())
