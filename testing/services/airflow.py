"""Airflow itself with its OpenLineage provider, on SQLite, and a DAG of a shop."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from testing.services.process import StartFailed

_HERE = Path(__file__).with_name("airflow")
LOCK = _HERE / "requirements.lock"
_SECONDS = 900

Json = dict[str, Any]


class AirflowShop:
    """An installation in a folder; events go where its transport sends them."""

    def __init__(self, folder: Path, transport: Json) -> None:
        self._folder = folder
        dags = folder / "dags"
        dags.mkdir()
        shutil.copy(_HERE / "shop.py.txt", dags / "shop.py")
        # Of whoever runs the tests there may be settings as well.
        kept = {key: value for key, value in os.environ.items() if not key.startswith("AIRFLOW")}
        self._env = {
            **kept,
            "AIRFLOW_HOME": str(folder),
            "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__OPENLINEAGE__NAMESPACE": "airflow",
            "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport),
            # The loopback address has no proxy.
            "NO_PROXY": "127.0.0.1,localhost",
        }

    def run_dag(self) -> None:
        """Run the DAG to its end, with all of its tasks."""
        self._run("db", "migrate")
        self._run("dags", "reserialize")
        self._run("dags", "test", "shop")

    def _run(self, *command: str) -> None:
        done = subprocess.run(
            [str(_program()), *command],
            cwd=self._folder,
            env=self._env,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        if done.returncode != 0:
            reason = f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
            raise StartFailed(f"airflow {' '.join(command)}: {reason}")


def _program() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    found = Path(home) / "headwater" / f"{LOCK.parent.name}-{digest}" / "bin" / "airflow"
    if not found.exists():
        raise StartFailed("Airflow is missing; run scripts/install-services --all")
    return found
