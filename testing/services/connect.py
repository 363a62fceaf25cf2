"""A throw-away worker of Kafka Connect, with Headwater's plugin and others on its plugin path."""

import json
import os
import shutil
import time
import zipfile
from collections.abc import Mapping, Sequence
from filecmp import cmp
from pathlib import Path
from typing import Any, Self

import httpx2

from headwater.cli.commands.connect_plugin import JAR, write_plugin
from headwater.model.connect.connectors import EXTENSION_CLASS
from testing.services.jars import gathered_jars
from testing.services.kafka import Kafka
from testing.services.process import Process, StartFailed, free_port
from testing.wait import wait_until

PROJECT = Path(__file__).with_name("connect")
BUILT = Path(__file__).parents[2] / "connect" / "target"
PLUGIN = BUILT / "headwater-connect.jar"
# Connectors under the names of others that cannot be had.
LAB = BUILT / "headwater-connect-lab.jar"
ANSWER_SECONDS = 60.0

Config = Mapping[str, str]


class Connect(Process):
    """One distributed worker on a port of the loopback address."""

    name = "connect"
    main = "ConnectDistributed"

    def __init__(
        self,
        kafka: Kafka,
        group: str,
        settings: Config,
        env: Config,
        plugins: Sequence[str],
        release: str,
        is_long_lived: bool,
    ) -> None:
        super().__init__()
        self.kafka = kafka
        self.group = group
        self.port = free_port()
        self._own_settings = settings
        self._env = env
        self._plugins = plugins
        self._is_long_lived = is_long_lived
        self._jars = gathered_jars(PROJECT.with_name(release) / "pom.xml")

    @classmethod
    def start(
        cls,
        kafka: Kafka,
        group: str,
        settings: Config | None = None,
        env: Config | None = None,
        plugins: Sequence[str] = (),
        release: str = PROJECT.name,
        with_extension: bool = True,
        is_long_lived: bool = False,
    ) -> Self:
        """Start a worker of the group and wait until it answers.

        `plugins` are folders beside this file whose POM names the jars of a plugin (`a+b` is one
        plugin with the jars of both), `release` is that of the worker itself. One that is
        long-lived starts slower, and then is as quick as Java gets.
        """
        extension = {"rest.extension.classes": EXTENSION_CLASS} if with_extension else {}
        settings = {**extension, **(settings or {})}
        service = cls(kafka, group, settings, env or {}, plugins, release, is_long_lived)
        try:
            service._write()
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def create(self, name: str, config: Config) -> None:
        """Create a connector, or give it another configuration."""
        self._call("PUT", f"/connectors/{name}/config", {"name": name, **config})

    def validate(self, plugin: str, config: Config) -> dict[str, list[str]]:
        """What a worker finds wrong with a configuration, by key."""
        path = f"/connector-plugins/{plugin}/config/validate"
        found = self._call("PUT", path, {"name": "validated", **config})
        values = [each["value"] for each in found["configs"]]
        return {each["name"]: each["errors"] for each in values if each["errors"]}

    def delete(self, name: str) -> None:
        self._call("DELETE", f"/connectors/{name}")

    def pause(self, name: str) -> None:
        self._call("PUT", f"/connectors/{name}/pause")

    def resume(self, name: str) -> None:
        self._call("PUT", f"/connectors/{name}/resume")

    def stop_connector(self, name: str) -> None:
        self._call("PUT", f"/connectors/{name}/stop")

    def restart_connector(self, name: str, with_tasks: bool = True) -> None:
        tasks = str(with_tasks).lower()
        self._call("POST", f"/connectors/{name}/restart?includeTasks={tasks}")

    def state(self, name: str) -> tuple[str, list[str]]:
        """The state of a connector and those of its tasks; `ABSENT` where there is none."""
        try:
            status = self._call("GET", f"/connectors/{name}/status")
        except LookupError:
            return "ABSENT", []
        return status["connector"]["state"], [task["state"] for task in status["tasks"]]

    def worker_of(self, name: str) -> str:
        """The worker that a connector, though maybe not its tasks, is with: `host:port`."""
        return str(self._call("GET", f"/connectors/{name}/status")["connector"]["worker_id"])

    def wait_for(self, name: str, connector: str, tasks: Sequence[str] | None = None) -> None:
        """Wait until a connector has a state, and its tasks have theirs."""
        wait_until(
            lambda: self._has_states(name, connector, tasks),
            lambda: f"{name} is {self.state(name)}, not {connector} {tasks}",
        )

    def _has_states(self, name: str, connector: str, tasks: Sequence[str] | None) -> bool:
        found = self.state(name)
        return found[0] == connector and (tasks is None or found[1] == list(tasks))

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        """Call the worker; what it refuses while it gives out work anew is asked again."""
        give_up = time.monotonic() + ANSWER_SECONDS
        while True:
            answer = httpx2.request(
                method, f"{self.url}{path}", json=body, timeout=ANSWER_SECONDS, trust_env=False
            )
            if answer.status_code == 404:
                raise LookupError(answer.text)
            if answer.status_code < 400:
                return json.loads(answer.text) if answer.text else None
            if answer.status_code not in (409, 500) or time.monotonic() > give_up:
                raise ValueError(f"{method} {path}: {answer.status_code} {answer.text}")
            time.sleep(0.2)

    def command(self) -> Sequence[str]:
        options = ["-Xmx768m", "-XX:+UseSerialGC", "-XX:-UsePerfData"]
        options += [] if self._is_long_lived else ["-XX:TieredStopAtLevel=1"]
        options += [f"-Djava.io.tmpdir={self.directory}"]
        options += [f"-Dlog4j2.configurationFile={PROJECT / 'log4j2.properties'}"]
        main = f"org.apache.kafka.connect.cli.{self.main}"
        return ["java", *options, "-cp", str(self._jars / "*"), main, str(self._settings_file)]

    def environment(self) -> dict[str, str]:
        foreign = ("OPENLINEAGE", "KAFKA_BOOTSTRAP", "BOOTSTRAP", "HEADWATER")
        own = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
        return {**own, **self._env}

    def is_ready(self) -> bool:
        try:
            answer = httpx2.get(f"{self.url}/connectors", timeout=30, trust_env=False)
        except httpx2.TransportError:
            return False
        return answer.status_code == 200

    @property
    def _settings_file(self) -> Path:
        return self.directory / "worker.properties"

    def _write(self) -> None:
        plugins = self.directory / "plugins"
        # As users do it; a jar that was built since then is not the one they would get.
        if not all(jar.is_file() for jar in (PLUGIN, LAB, JAR)) or not cmp(PLUGIN, JAR, False):
            raise StartFailed("the plugin is not built, or not in the package; run make connect")
        write_plugin(plugins / PLUGIN.stem)
        (plugins / LAB.stem).mkdir()
        shutil.copy(LAB, plugins / LAB.stem)
        for name in self._plugins:
            _link_plugin([PROJECT.with_name(each) for each in name.split("+")], plugins / name)
        lines = [f"{key}={value}\n" for key, value in self._settings(plugins).items()]
        self._settings_file.write_text("".join(lines))

    def _settings(self, plugins: Path) -> dict[str, str]:
        converter = "org.apache.kafka.connect.json.JsonConverter"
        return {
            "bootstrap.servers": self.kafka.bootstrap,
            "listeners": f"http://127.0.0.1:{self.port}",
            "plugin.path": str(plugins),
            # To scan the jars takes longer than all else.
            "plugin.discovery": "service_load",
            "key.converter": converter,
            "value.converter": converter,
            # Tests do not wait long for offsets.
            "offset.flush.interval.ms": "1000",
            "topic.creation.enable": "true",
            **self._keeping(),
            **self._own_settings,
        }

    def _keeping(self) -> dict[str, str]:
        """How the worker keeps what it must not forget, and with whom it shares that."""
        own_topics = {
            f"{kind}.storage.{key}": value
            for kind in ("config", "offset", "status")
            for key, value in {
                "topic": f"{self.group}-{kind}",
                "replication.factor": "1",
                "partitions": "1",
            }.items()
            if not (kind == "config" and key == "partitions")
        }
        return {
            "group.id": self.group,
            # Tests do not wait long for a worker that is gone.
            "scheduled.rebalance.max.delay.ms": "0",
            "session.timeout.ms": "6000",
            "heartbeat.interval.ms": "1000",
            **own_topics,
        }


class StandaloneConnect(Connect):
    """A worker that is its whole cluster, and forgets its connectors when it ends."""

    main = "ConnectStandalone"

    def _keeping(self) -> dict[str, str]:
        return {"offset.storage.file.filename": str(self.directory / "offsets")}


def _link_plugin(projects: Sequence[Path], folder: Path) -> None:
    """A plugin's jars, and one more for a plugin that does not say what is in it."""
    folder.mkdir()
    for project in projects:
        for jar in gathered_jars(project / "pom.xml").iterdir():
            (folder / jar.name).symlink_to(jar)
        services = project / "META-INF" / "services"
        if services.is_dir():
            with zipfile.ZipFile(folder / f"{project.name}-services.jar", "w") as jar_file:
                for file in services.iterdir():
                    jar_file.write(file, file.relative_to(project))
