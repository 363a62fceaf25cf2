"""A throw-away Flink: a session cluster of one task manager, and a SQL gateway to submit jobs."""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2

from testing.services.jars import gathered_jars
from testing.services.process import Process, StartFailed, free_port
from testing.wait import wait_until

POM = Path(__file__).with_name("flink") / "pom.xml"
LOCK = Path(__file__).with_name("flink-libraries") / "requirements.lock"
LISTENER = "io.openlineage.flink.listener.OpenLineageJobStatusChangedListenerFactory"
_OPENS_SET = re.compile(r"(EXECUTE|BEGIN) STATEMENT SET", re.IGNORECASE)

_OPENED = (
    *(f"java.base/java.{name}" for name in ("lang", "net", "io", "nio", "lang.reflect", "text")),
    *(f"java.base/java.{name}" for name in ("time", "util", "util.concurrent")),
    "java.base/java.util.concurrent.atomic",
    "java.base/java.util.concurrent.locks",
    "java.base/sun.nio.ch",
)
_EXPORTED = ("java.rmi/sun.rmi.registry", "java.security.jgss/sun.security.krb5")
# A task manager takes its memory from the script that starts it; this is what that would say.
_MEMORY = {
    "taskmanager.cpu.cores": "2.0",
    "taskmanager.memory.task.heap.size": "384m",
    "taskmanager.memory.task.off-heap.size": "0b",
    "taskmanager.memory.framework.heap.size": "96m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.network.min": "64m",
    "taskmanager.memory.network.max": "64m",
    "taskmanager.memory.managed.size": "128m",
    "taskmanager.memory.jvm-metaspace.size": "256m",
    "taskmanager.memory.jvm-overhead.min": "64m",
    "taskmanager.memory.jvm-overhead.max": "64m",
}


class FlinkProcess(Process):
    """One of the programs that a cluster is made of."""

    start_seconds = 240.0

    def __init__(
        self, name: str, program: Sequence[str], url: str, conf: Path, heap: str, is_up: str
    ) -> None:
        self.name = name
        super().__init__()
        self._program = program
        self._url = url
        self._conf = conf
        self._heap = heap
        self._is_up = is_up

    def command(self) -> Sequence[str]:
        # The quick compiler and the plain collector: soon started, and gentle on few cores.
        options = [f"-Xmx{self._heap}", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        options += ["-XX:-UsePerfData", f"-Djava.io.tmpdir={self.directory}"]
        options += [f"-Dlog4j.configurationFile={POM.with_name('log4j2.properties')}"]
        options += [f"--add-opens={each}=ALL-UNNAMED" for each in _OPENED]
        options += [f"--add-exports={each}=ALL-UNNAMED" for each in _EXPORTED]
        path = f"{_own_jars()}/*:{gathered_jars(POM)}/*"
        return ["java", *options, "-cp", path, *self._program]

    def environment(self) -> dict[str, str]:
        # A gateway looks for its configuration by this variable.
        return {**os.environ, "FLINK_CONF_DIR": str(self._conf)}

    def is_ready(self) -> bool:
        try:
            answer = httpx2.get(self._url + self._is_up, timeout=5, trust_env=False)
            return answer.status_code == 200 and answer.json().get("taskmanagers", 1) > 0
        except (httpx2.TransportError, ValueError):
            return False


class Flink:
    """The cluster; its REST API is at `url`, that of the gateway at `gateway`."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self.port, gateway_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.gateway = f"http://127.0.0.1:{gateway_port}"
        self._more = dict(settings or {})
        self._gateway_port = gateway_port
        self._stack = ExitStack()
        self.processes: list[FlinkProcess] = []

    @classmethod
    def start(cls, settings: Mapping[str, str] | None = None) -> Self:
        service = cls(settings)
        try:
            service._start()
        except BaseException:
            service.close()
            raise
        return service

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def log(self) -> str:
        return "\n".join(f"{each.name}:\n{each.log()[-4000:]}" for each in self.processes)

    def run_sql(self, text: str, settings: Mapping[str, str] | None = None) -> list[str]:
        """Run a script in a session of its own, as Flink's SQL client would; gives job ids."""
        session = self.open_session(settings)
        try:
            return self.run_in_session(session, text)
        finally:
            httpx2.delete(f"{self.gateway}/v1/sessions/{session}", timeout=30, trust_env=False)

    def open_session(self, settings: Mapping[str, str] | None = None) -> str:
        """A session that stays until the gateway ends."""
        opened = self._post("/v1/sessions", {"properties": dict(settings or {})})
        return str(opened["sessionHandle"])

    def run_in_session(self, session: str, text: str) -> list[str]:
        ids = [self._run(session, each) for each in _statements(text)]
        return [each for each in ids if each]

    def get(self, path: str) -> Any:
        return httpx2.get(self.url + path, timeout=30, trust_env=False).raise_for_status().json()

    def state(self, job: str) -> str:
        return str(self.get(f"/jobs/{job}")["state"])

    def cancel(self, job: str) -> None:
        answer = httpx2.patch(f"{self.url}/jobs/{job}?mode=cancel", timeout=30, trust_env=False)
        answer.raise_for_status()

    def stop_with_savepoint(self, job: str, folder: Path) -> str:
        """End a job with a savepoint; gives where that is."""
        body = {"targetDirectory": folder.as_uri(), "drain": False}
        address = f"{self.url}/jobs/{job}/stop"
        answer = httpx2.post(address, json=body, timeout=30, trust_env=False).raise_for_status()
        path = f"/jobs/{job}/savepoints/{answer.json()['request-id']}"
        wait_until(lambda: self.get(path)["status"]["id"] == "COMPLETED")
        return str(self.get(path)["operation"]["location"])

    def _start(self) -> None:
        folder = Path(
            self._stack.enter_context(tempfile.TemporaryDirectory(prefix="headwater-flink-"))
        )
        (folder / "config.yaml").write_text(_yaml(self._settings(folder)))
        runtime, own = "org.apache.flink.runtime", ["--configDir", str(folder)]
        session = f"{runtime}.entrypoint.StandaloneSessionClusterEntrypoint"
        manager = f"{runtime}.taskexecutor.TaskManagerRunner"
        gateway = "org.apache.flink.table.gateway.SqlGateway"
        manager_of_jobs = [session, *own, "--executionMode", "cluster"]
        for name, program, url, heap, is_up in (
            ("jobmanager", manager_of_jobs, self.url, "600m", "/config"),
            ("taskmanager", [manager, *own], self.url, "480m", "/overview"),
            ("sql-gateway", [gateway], self.gateway, "500m", "/v1/info"),
        ):
            process = FlinkProcess(f"flink-{name}", program, url, folder, heap, is_up)
            self.processes.append(self._stack.enter_context(process))
            process.launch()

    def _settings(self, folder: Path) -> dict[str, str]:
        here = "127.0.0.1"
        return {
            "jobmanager.rpc.address": here,
            "jobmanager.rpc.port": str(free_port()),
            "jobmanager.bind-host": here,
            "taskmanager.host": here,
            "taskmanager.bind-host": here,
            "taskmanager.numberOfTaskSlots": "8",
            "rest.address": here,
            "rest.bind-address": here,
            "rest.port": str(self.port),
            "sql-gateway.endpoint.rest.address": here,
            "sql-gateway.endpoint.rest.port": str(self._gateway_port),
            "blob.server.port": str(free_port()),
            "io.tmp.dirs": str(folder / "tmp"),
            "execution.checkpointing.interval": "1s",
            "execution.checkpointing.dir": (folder / "checkpoints").as_uri(),
            # Failures are shown, and not tried again for ever.
            "restart-strategy.type": "none",
            # What is seen of metrics is not ten seconds old.
            "metrics.fetcher.update-interval": "500",
            "heartbeat.timeout": "120000",
            **_MEMORY,
            **self._more,
        }

    def _run(self, session: str, statement: str) -> str:
        base = f"/v1/sessions/{session}"
        operation = self._post(f"{base}/statements", {"statement": statement})["operationHandle"]
        result = f"{base}/operations/{operation}/result/0?rowFormat=JSON"
        found: list[Any] = []

        def is_done() -> bool:
            answer = httpx2.get(self.gateway + result, timeout=60, trust_env=False)
            if answer.status_code != 200:
                raise StartFailed(f"{statement}: {answer.text[-3000:]}")
            found[:] = [answer.json()]
            return bool(found[0]["resultType"] != "NOT_READY")

        wait_until(is_done)
        return str(found[0].get("jobID") or "")

    def _post(self, path: str, body: Any) -> Any:
        answer = httpx2.post(self.gateway + path, json=body, timeout=60, trust_env=False)
        return answer.raise_for_status().json()


def _yaml(settings: Mapping[str, str]) -> str:
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items())


def _statements(text: str) -> list[str]:
    """The statements of a script, a set in one piece; no text in them has a `;`."""
    parts, found, pending = [each.strip() for each in text.split(";")], [], []
    for part in filter(None, parts):
        pending.append(part)
        if _OPENS_SET.match(pending[0]) and part.upper() != "END":
            continue
        found.append(";\n".join(pending))
        pending = []
    return found


def _own_jars() -> Path:
    """Flink's own jars, as its Python package has them."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    packages = Path(home) / "headwater" / f"{LOCK.parent.name}-{digest}" / "lib"
    for found in packages.glob("python*/site-packages/pyflink/lib"):
        return found
    raise StartFailed("Flink is missing; run scripts/install-services --all")
