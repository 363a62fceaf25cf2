"""Three named ingestions under one supervisor that is killed: nothing lost, schedules kept."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from testing import load
from testing.services.ingest import PATIENCE_SECONDS, Ingest, run_headwater
from testing.wait import wait_until
from tests.faults.stored import events_in

pytestmark = [pytest.mark.integration, pytest.mark.long]

SCHEDULES = {"stream": "continuous", "minutely": "* * * * *", "nightly": "0 0 1 1 *"}
COUNT = 600


class Supervised(Ingest):
    """`headwater ingest run --all`, which is ready as soon as it looks."""

    def is_ready(self) -> bool:
        return "as their schedules say" in self.new_log()


def test_killed_amid_three(tmp_path: Path) -> None:
    data = tmp_path / "data"
    service = Supervised.prepare("--all", data=data, kind="run")
    sent: set[bytes] = set()
    store = ("--store", service.store, "--data", str(data))
    for number, (name, schedule) in enumerate(SCHEDULES.items()):
        sent |= _write(tmp_path / name, "a", number * 1_000)
        broker = {"place": str(tmp_path / name)}
        body = {"connection": {"config": {"brokerConfig": broker}}, "schedule": schedule}
        file = tmp_path / f"{name}.yaml"
        file.write_text(json.dumps(body))
        assert run_headwater("ingest", "add", name, "--config", str(file), *store).status == 0

    def state(name: str) -> Any:
        return json.loads(run_headwater("ingest", "show", name, "-o", "json", *store).out)

    with service:
        service.restart()
        assert run_headwater("ingest", "run", "nightly", *store).status == 0
        wait_until(lambda: state("stream")["allStored"] > 0, seconds=PATIENCE_SECONDS)
        before = state("nightly")["nextAt"]
        service.send_signal(signal.SIGKILL)
        service.wait_for_end()
        for number, name in enumerate(SCHEDULES):
            sent |= _write(tmp_path / name, "b", number * 1_000 + 500)
        service.restart()
        assert run_headwater("ingest", "run", "nightly", *store).status == 0
        wait_until(lambda: sent <= events_in(service.store), seconds=PATIENCE_SECONDS)
        wait_until(lambda: state("nightly")["state"] == "waiting", seconds=PATIENCE_SECONDS)
        assert state("nightly")["nextAt"] == before
        assert state("stream")["state"] == "running"
        assert "Traceback" not in service.log()


def _write(folder: Path, name: str, start_run: int) -> set[bytes]:
    folder.mkdir(exist_ok=True)
    events = list(load.events(COUNT, start_run=start_run))
    (folder / f"{name}.ndjson").write_bytes(b"\n".join(events) + b"\n")
    return set(events)
