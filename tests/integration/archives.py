"""Building wheels and source archives from a copy of what is in git."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from testing.services.connect import PLUGIN

ROOT = Path(__file__).parents[2]
# What npm and the scripts it starts take from a machine.
_TOOLS = ("sh", "env", "uname", "dirname", "sed")
# What is imported is what is installed.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def run(*command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """What a command prints; it must end well."""
    return run_both(*command, cwd=cwd, env=env).stdout


def run_both(
    *command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**ENVIRONMENT, **(env or {})},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5_000:]
    return done


def copy_sources(copy: Path) -> Path:
    """A copy of what is in git, with nothing built."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


def link_few_tools(folder: Path) -> Path:
    """A path with neither Node nor Maven."""
    for name in _TOOLS:
        found = shutil.which(name)
        assert found, name
        (folder / name).symlink_to(found)
    return folder


def place_built_jar(sources: Path) -> None:
    """Put the jar where Maven puts it: it was built before."""
    (sources / "connect" / "target").mkdir()
    shutil.copy(PLUGIN, sources / "connect" / "target")
