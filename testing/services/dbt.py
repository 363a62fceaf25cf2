"""dbt itself, with dbt-ol, on a small project: tables of a shop, in DuckDB or PostgreSQL."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from testing.services.process import StartFailed

_HERE = Path(__file__).with_name("dbt")
LOCK = _HERE / "requirements.lock"
_SECONDS = 300


class DbtShop:
    """A copy of the project in a folder; `warehouse` is a target of its profile."""

    def __init__(self, folder: Path, warehouse: str, port: int = 0) -> None:
        self.folder = folder / "shop"
        shutil.copytree(_HERE / "shop", self.folder)
        self.target = self.folder / "target"
        self.warehouse = warehouse
        self.file = folder / "shop.duckdb"
        self.variables = {"SHOP_FILE": str(self.file), "SHOP_PORT": str(port)}

    def run_python(self, code: str) -> None:
        """Run a program in the environment of dbt, which has the driver of DuckDB."""
        self._run([str(_program("python")), "-c", code], {})

    def dbt(self, *command: str, fails: bool = False) -> None:
        self._run([str(_program("dbt")), *self._command(command)], {}, fails)

    def dbt_ol(self, server: str, *command: str, fails: bool = False) -> None:
        """The same with dbt-ol, which reports to a server what was run."""
        variables = {"OPENLINEAGE_URL": server, "OPENLINEAGE_NAMESPACE": "dbt"}
        self._run([str(_program("dbt-ol")), *self._command(command)], variables, fails)

    def _command(self, command: tuple[str, ...]) -> list[str]:
        return [*command, "--profiles-dir", str(self.folder), "--target", self.warehouse]

    def _run(self, command: list[str], more: Mapping[str, str], fails: bool = False) -> None:
        home = str(_program("dbt").parent)
        path = os.pathsep.join([home, os.environ.get("PATH", "")])
        env = {**os.environ, **self.variables, **more, "PATH": path, "DO_NOT_TRACK": "1"}
        # The loopback address has no proxy.
        env["NO_PROXY"] = "127.0.0.1"
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=_SECONDS
        )
        if (done.returncode != 0) != fails:
            raise StartFailed(f"{' '.join(command)}: {done.stdout[-3000:]}{done.stderr[-3000:]}")


def _program(name: str) -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    found = Path(home) / "headwater" / f"{LOCK.parent.name}-{digest}" / "bin" / name
    if not found.exists():
        raise StartFailed("dbt is missing; run scripts/install-services --all")
    return found
