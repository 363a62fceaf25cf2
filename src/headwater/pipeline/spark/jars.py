"""Jars that a session needs beside Spark's own: fetched once, checked, then handed over as files.

Spark itself would ask Ivy at every start, and Ivy would look into Maven's local repository first:
what Maven left there, often a POM without its jar, decides whether Spark starts. Here Ivy is run
once for a set of packages, with a cache of its own. The set's list of jars, with their SHA-256, is
kept; the next start needs neither Ivy nor a network.
"""

import fcntl
import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from headwater.config import cache_folder
from headwater.errors import PackagesUnavailable
from headwater.pipeline.spark.ivy import Progress, fetch, find_provided
from headwater.pipeline.spark.java import Java
from headwater.pipeline.spark.packages import SETTING, Package, parse_packages
from headwater.pipeline.spark.repositories import find_repositories

_EXCLUDED = "spark.jars.excludes"

Notify = Callable[[str], None]


def replace_packages(conf: dict[str, str], java: Java, notify: Notify) -> dict[str, str]:
    """Settings with the jars of their packages in the place of the packages."""
    packages = parse_packages(conf.get(SETTING, "").split(","))
    if not packages:
        return conf
    jars = find_jars(packages, conf) or _fetch(packages, conf, java, notify)
    own = [conf["spark.jars"]] if conf.get("spark.jars") else []
    rest = {key: value for key, value in conf.items() if key not in (SETTING, _EXCLUDED)}
    return {**rest, "spark.jars": ",".join([*map(str, jars), *own])}


def find_jars(packages: Collection[Package], conf: Mapping[str, str] = {}) -> list[Path] | None:
    """The jars of packages, if all are there as they were fetched; else None."""
    try:
        lines = _list_of(packages, conf).read_text().splitlines()
        pairs = (line.split("  ", 1) for line in lines)
        entries = [(digest, _folder() / path) for digest, path in pairs]
        is_whole = all(_digest(path) == digest for digest, path in entries)
    except (OSError, ValueError):
        return None
    return [path for _, path in entries] if is_whole else None


def _fetch(
    packages: Collection[Package], conf: Mapping[str, str], java: Java, notify: Notify
) -> list[Path]:
    spark_jars = _spark_jars()
    with _one_at_a_time(notify):
        # Who had the lock may have fetched the same.
        if (jars := find_jars(packages, conf)) is not None:
            return jars
        notify(f"fetching for Spark, once: {', '.join(package.jar for package in packages)}")
        _remove_damaged(packages, conf)
        excluded = find_provided(spark_jars) | _excluded(conf)
        repositories = find_repositories(conf)
        steps = fetch(packages, excluded, repositories, _folder(), java, spark_jars)
        for number, step in enumerate(steps, 1):
            if isinstance(step, Progress):
                notify(f"fetching for Spark: jar {number} of up to {step.needed}, {step.jar}")
            else:
                _check(step, str(repositories))
                _keep(step, _list_of(packages, conf))
                return step
    raise AssertionError("Ivy ended without a list")


def _check(jars: Collection[Path], origin: str) -> None:
    """Compare jars that are known with what they were when they came to be known."""
    known = _known()
    for jar in jars:
        if known.get(jar.name, digest := _digest(jar)) != digest:
            jar.unlink()
            reason = f"{jar.name} has another SHA-256 than expected ({digest})"
            raise PackagesUnavailable([jar.name], origin, reason)


def _keep(jars: Collection[Path], file: Path) -> None:
    # By their places in the folder, which may be copied to another machine.
    text = "".join(f"{_digest(jar)}  {_place(jar)}\n" for jar in jars)
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.replace(file)


def _remove_damaged(packages: Collection[Package], conf: Mapping[str, str]) -> None:
    """Remove jars that are not as they were fetched: Ivy would take them for whole."""
    file = _list_of(packages, conf)
    if not file.is_file():
        return
    for line in file.read_text().splitlines():
        digest, _, place = line.partition("  ")
        path = _folder() / place
        if _folder() in path.parents and _is_damaged(path, digest):
            path.unlink()


def _place(jar: Path) -> Path:
    """A jar's place in the folder; the whole path of one that the user's Ivy keeps elsewhere."""
    return jar.relative_to(_folder()) if jar.is_relative_to(_folder()) else jar


def _is_damaged(path: Path, digest: str) -> bool:
    return path.is_file() and _digest(path) != digest


@contextmanager
def _one_at_a_time(notify: Notify) -> Iterator[None]:
    """Keep two processes from fetching the same; the lock goes with its process."""
    _folder().mkdir(parents=True, exist_ok=True)
    with (_folder() / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notify("waiting for another process that fetches jars for Spark")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _folder() -> Path:
    return cache_folder() / "spark-jars"


def _list_of(packages: Collection[Package], conf: Mapping[str, str]) -> Path:
    """The file with the jars of a set of packages; what Spark has by itself is not among them."""
    names = [f"pyspark:{version('pyspark')}", *sorted(map(":".join, packages))]
    text = "\n".join([*names, *sorted(map(":".join, _excluded(conf)))])
    return _folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.sha256"


def _excluded(conf: Mapping[str, str]) -> set[tuple[str, str]]:
    """What the user excludes, as GROUP:ARTIFACT."""
    pairs = (part.partition(":") for part in conf.get(_EXCLUDED, "").split(",") if part)
    return {(group.strip(), artifact.strip() or "*") for group, _, artifact in pairs}


def _spark_jars() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "jars"


@cache
def _known() -> dict[str, str]:
    """Digests by the names of jars, of those that Headwater itself asks for."""
    lines = (files("headwater.pipeline.spark") / "jars.lock").read_text().splitlines()
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
