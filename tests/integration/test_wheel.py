"""The wheel, as users get it: made where there is no Node, installed where there is nothing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest

from tests.services.process import Process

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
# What npm and the scripts it starts take from a machine.
TOOLS = ("sh", "env", "uname", "dirname", "sed")


class Installed(Process):
    """The program of an environment, serving."""

    name = "installed"

    def __init__(self, environment: Path) -> None:
        super().__init__()
        self._environment = environment
        self.url = ""

    def command(self) -> Sequence[str]:
        return [str(self._environment / "bin" / "headwater"), "serve", "--port", "0"]

    def is_ready(self) -> bool:
        _, found, rest = self.log().partition("listens on ")
        self.url = rest.split()[0] if found else ""
        return bool(self.url)

    def start(self) -> None:
        self._run()


def run(*command: str | Path, path: Path | None = None, cwd: Path | None = None) -> str:
    env = {**os.environ, "PATH": str(path)} if path else None
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5_000:]
    return done.stdout


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what is in git, with nothing built."""
    copy = tmp_path / "sources"
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture
def path_without_node(tmp_path: Path) -> Path:
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found, name
        (folder / name).symlink_to(found)
    return folder


def test_a_wheel_serves_the_web_ui(sources: Path, path_without_node: Path, tmp_path: Path) -> None:
    assert shutil.which("node", path=str(path_without_node)) is None
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, sources,
        path=path_without_node)  # fmt: skip
    (wheel,) = tmp_path.glob("headwater-*.whl")
    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", environment)
    run(environment / "bin" / "pip", "install", "--quiet", wheel)
    service = Installed(environment)
    with service:
        service.start()
        page = httpx2.get(service.url, trust_env=False)
        assert page.status_code == 200
        (script,) = [part for part in page.text.split('"') if part.endswith(".js")][:1]
        assert httpx2.get(f"{service.url}{script}", trust_env=False).status_code == 200
