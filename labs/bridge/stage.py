"""What the lab plays on: an account of Confluent Cloud on this machine, and a server for it."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from headwater.demo.confluent.cloud import StandInCloud, serve_cloud
from headwater.demo.confluent.connection import connection_settings
from headwater.demo.confluent.example import build_example
from labs.checks import LabFailed, wait_for
from testing.services.headwater import Headwater

Json = dict[str, Any]


@dataclass
class BridgeStage:
    """A server, spoken to as LineageBridge's documents have it."""

    cloud: StandInCloud
    url: str
    folder: Path
    client: httpx2.Client
    graph: str = ""
    """The id of the graph of the first extraction."""

    def call(self, method: str, path: str, **more: Any) -> Any:
        """Call the API, and print that; whatever is refused ends the lab."""
        answer = self.client.request(method, path, **more)
        parameters = f" {json.dumps(more['params'])}" if more.get("params") else ""
        print(f"   {method} /api/v1{path}{parameters} -> {answer.status_code}", flush=True)
        if not answer.is_success:
            raise LabFailed(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.json()

    def wait_for_task(self, id: str) -> Json:
        """The task once it has ended, with what it has printed on the way."""

        def ended() -> Json | None:
            found: Json = self.client.get(f"/tasks/{id}").json()
            return found if found["status"] in ("completed", "failed") else None

        task = wait_for(f"task {id} ends", ended)
        for line in task["progress"]:
            print(f"     {line}", flush=True)
        return task


@contextmanager
def open_stage(port: int) -> Iterator[BridgeStage]:
    """Start everything; all of it ends with the block, and its folder goes."""
    with (
        tempfile.TemporaryDirectory(prefix="headwater-lab-") as name,
        serve_cloud(build_example()) as cloud,
    ):
        folder = Path(name)
        settings = folder / "headwater.toml"
        settings.write_text(_settings(connection_settings(cloud, folder / "keys")))
        with_settings = {"HEADWATER_CONFIG": str(settings)}
        with (
            Headwater.start(env=with_settings, port=port) as server,
            httpx2.Client(base_url=f"{server.url}/api/v1", trust_env=False, timeout=60) as client,
        ):
            yield BridgeStage(cloud, server.url, folder, client)


def _settings(values: Json) -> str:
    """The section of headwater.toml; lists and texts are written alike in TOML and JSON."""
    plain = {key: list(v) if isinstance(v, tuple) else str(v) for key, v in values.items()}
    lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    return "\n".join(["[collect.confluent]", *lines, ""])
