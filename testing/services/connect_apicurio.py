"""A throw-away schema registry, which keeps all in memory."""

import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import httpx2

from testing.services.jars import gathered_jars
from testing.services.process import Process, free_port

POM = Path(__file__).with_name("connect-apicurio") / "pom.xml"


class Apicurio(Process):
    """One registry on a port of the loopback address; it also speaks Confluent's language."""

    name = "apicurio"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/apis/registry/v2"

    @classmethod
    def start(cls) -> Self:
        service = cls()
        try:
            service._unpack()
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    def subjects(self) -> list[str]:
        """The subjects that it has, in Confluent's words."""
        address = f"http://127.0.0.1:{self.port}/apis/ccompat/v7/subjects"
        answer = httpx2.get(address, timeout=30, trust_env=False)
        return [str(subject) for subject in answer.raise_for_status().json()]

    def command(self) -> Sequence[str]:
        options = ["-Xmx400m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"]
        options += [f"-Djava.io.tmpdir={self.directory}", "-Dquarkus.http.host=127.0.0.1"]
        options += [f"-Dquarkus.http.port={self.port}"]
        (runner,) = self.directory.glob("*-runner.jar")
        return ["java", *options, "-jar", str(runner)]

    def is_ready(self) -> bool:
        try:
            answer = httpx2.get(f"{self.url}/system/info", timeout=30, trust_env=False)
        except httpx2.TransportError:
            return False
        return answer.status_code == 200

    def _unpack(self) -> None:
        (archive,) = gathered_jars(POM).glob("*.tar.gz")
        with tarfile.open(archive) as file:
            file.extractall(self.directory, filter="data")
