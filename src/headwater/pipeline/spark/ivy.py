"""Runs Ivy, which comes with Spark, to fetch packages and what they depend on."""

import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from headwater.errors import PackagesUnavailable
from headwater.pipeline.spark.java import Java
from headwater.pipeline.spark.packages import Package
from headwater.pipeline.spark.repositories import Repositories, find_proxy_options

# What a package's program may be packed as.
_TYPES = ("jar", "bundle", "orbit", "hk2-jar")
_MODULE = """\
<ivy-module version="2.0">
  <info organisation="headwater" module="spark-jars"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
    {dependencies}
  </dependencies>
</ivy-module>
"""
_FOUND = re.compile(r"^\s+found ([^#]+)#([^;]+);(\S+) in ")
_DOWNLOADING = re.compile(r"^downloading \S*/([^/\s]+)")
# In the order in which the first of them tells most.
_REASONS = (
    re.compile(r"(Host \S+ not found)"),
    re.compile(r"(Server access error|HTTP response status: \d+|.*[Cc]onnection refused.*)"),
    re.compile(r"(\S+: invalid (?:sha1|md5))"),
    re.compile(r":: ([^#\s]+#[^;]+;\S+): not found"),
    re.compile(r"\[FAILED\s*\]\s+(.+?)\s*(?:\(\d+ms\))?$"),
)


class Progress(NamedTuple):
    """A jar that is about to be fetched, and how many packages are known to be needed so far."""

    jar: str
    needed: int


def fetch(
    packages: Collection[Package],
    excluded: Collection[tuple[str, str]],
    repositories: Repositories,
    cache: Path,
    java: Java,
    spark_jars: Path,
) -> Iterator[Progress | list[Path]]:
    """Fetch packages with all they depend on into `cache`; ends with the list of their jars.

    `excluded` are groups and artifacts (`*` for all of a group) that are there already.
    """
    with TemporaryDirectory(prefix="headwater-ivy-") as name:
        folder = Path(name)
        settings = repositories.write_settings(folder / "settings.xml", cache)
        module, listed = folder / "ivy.xml", folder / "jars"
        module.write_text(_module(packages, excluded))
        program = [str(java.home / "bin" / "java"), *find_proxy_options()]
        program += ["-cp", _classpath(spark_jars), "org.apache.ivy.Main", "-cache", str(cache)]
        command = [*program, "-settings", str(settings), "-ivy", str(module)]
        command += ["-types", *_TYPES, "-cachepath", str(listed)]
        lines: list[str] = []
        yield from _follow(command, lines)
        if not listed.is_file():
            raise PackagesUnavailable(map(":".join, packages), str(repositories), explain(lines))
        # An empty list is written where all is excluded.
        yield [Path(path) for path in listed.read_text().strip().split(":") if path]


def _classpath(spark_jars: Path) -> str:
    """Ivy and what it reads its command line with."""
    return ":".join(
        str(jar) for part in ("ivy", "commons-cli") for jar in spark_jars.glob(f"{part}-*")
    )


def _follow(command: Sequence[str], lines: list[str]) -> Iterator[Progress]:
    """Run a command, keep what it writes, and tell of each jar it fetches."""
    needed = 0
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                lines.append(line.rstrip())
                needed += _FOUND.match(line) is not None
                if found := _DOWNLOADING.match(line):
                    yield Progress(found[1], needed)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        lines.append(f"Ivy ended with status {process.returncode}")


def explain(lines: Sequence[str]) -> str:
    """The sentence that tells most of what Ivy wrote before it gave up."""
    for pattern in _REASONS:
        for line in lines:
            if found := pattern.search(line):
                reason = found[1].strip()
                name = re.fullmatch(r"([^#\s]+)#([^;]+);([^!\s]+)(?:!\S*)?", reason)
                return f"{':'.join(name.groups())} was not found" if name else reason
    return next(filter(str.strip, reversed(lines)), "Ivy wrote nothing")


def _module(packages: Collection[Package], excluded: Collection[tuple[str, str]]) -> str:
    lines = [
        f"<dependency org={quoteattr(package.group)} name={quoteattr(package.artifact)} "
        f'rev={quoteattr(package.version)} conf="default"/>'
        for package in packages
    ]
    lines += [
        f"<exclude org={quoteattr(group)} module={quoteattr(artifact)}/>"
        for group, artifact in sorted(excluded)
    ]
    return _MODULE.format(dependencies="\n    ".join(lines))


def find_provided(jars: Path) -> set[tuple[str, str]]:
    """What Spark's own folder has, to be left out: its classes come first in any case.

    A file's name does not tell the group. One word (`core`, `json`) may be anybody's; two words
    mean the same library under any group.
    """
    names = (re.fullmatch(r"(.+?)-\d.*\.jar", jar.name) for jar in jars.glob("*.jar"))
    return {("*", found[1]) for found in names if found and "-" in found[1]}
