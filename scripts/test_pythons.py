"""Run the unit tests with the wheel and all its extras, in each supported Python that is here.

python -m scripts.test_pythons DIST [VERSION...]

The versions are those of the classifiers in pyproject.toml, unless some are given. One that is not
on this machine is named, and is no failure.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
UNIT = "not integration and not long and not slow"
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (\d+\.\d+)")


def main(arguments: Sequence[str]) -> int:
    dist, *versions = arguments
    failed = [version for version in versions or supported() if not check(version, Path(dist))]
    print(f"failed: {', '.join(failed)}" if failed else "none failed")
    return 1 if failed else 0


def supported() -> list[str]:
    """The versions that the package claims to run on."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        classifiers = tomllib.load(file)["project"]["classifiers"]
    return [found[1] for each in classifiers if (found := _CLASSIFIER.fullmatch(each))]


def check(version: str, dist: Path) -> bool:
    """Whether all goes well with a version, or there is none here to try."""
    python = find_python(version)
    if python is None:
        print(f"Python {version}: not found on this machine", flush=True)
        return True
    print(f"Python {version}: {python}", flush=True)
    with TemporaryDirectory(prefix="headwater-python-") as folder:
        environment = Path(folder) / "environment"
        return all(map(_succeeds, _commands(python, dist.absolute(), environment)))


def find_python(version: str) -> str | None:
    """A Python of a version on the path, or among those of pyenv, that says it is one."""
    return next((each for each in _candidates(version) if _version_of(each) == version), None)


def _candidates(version: str) -> Iterator[str]:
    if on_path := shutil.which(f"python{version}"):
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted((pyenv / "versions").glob(f"{version}.*/bin/python")))


def _version_of(python: str) -> str | None:
    """What a program says; one of pyenv's may stand for a version that is not chosen."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _commands(python: str, dist: Path, environment: Path) -> Iterator[list[str]]:
    own = str(environment / "bin" / "python")
    install = ["uv", "pip", "install", "--quiet", "--python", own]
    yield ["uv", "venv", "--quiet", "--python", python, str(environment)]
    yield [*install, "--requirements", "requirements-build.lock"]
    # In the pinned versions, which the extras have to agree with.
    locked = ["--no-build-isolation-package", "pyspark", "--requirements", "requirements.lock"]
    yield [*install, *locked, "--find-links", str(dist), "headwater[all]"]
    # From elsewhere than the sources: what is tested is what was installed.
    yield [own, "-P", "-m", "pytest", "-q", "-n", "auto", "-m", UNIT, "--no-header"]


def _succeeds(command: Sequence[str]) -> bool:
    """Run a command, with the programs of this environment; what fails is shown."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path})
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
