"""The server of this project, started as its users start it."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import httpx2

from testing.services.process import Process, free_port


class Headwater(Process):
    """One `headwater serve` on a port of the loopback address."""

    name = "headwater"

    def __init__(
        self,
        store: str | None,
        data: Path | None,
        extra: Sequence[str],
        env: Mapping[str, str],
        port: int | None,
    ) -> None:
        super().__init__()
        self.data = data or self.directory / "data"
        self.store = store or f"sqlite:///{self.data / 'headwater.db'}"
        self.port = free_port() if port is None else port
        self.url = f"http://127.0.0.1:{self.port}"
        self._extra = extra
        self._env = env

    @classmethod
    def start(
        cls,
        store: str | None = None,
        data: Path | None = None,
        extra: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> Self:
        """Start a server and wait until it is ready.

        Without `data` its files go when it is closed; without `store` it keeps a SQLite file there.
        """
        service = cls(store, data, extra, env or {}, port)
        try:
            service.data.mkdir(parents=True, exist_ok=True)
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    def command(self) -> Sequence[str]:
        program = Path(sys.executable).with_name("headwater")
        address = ["--host", "127.0.0.1", "--port", str(self.port)]
        storage = ["--store", self.store, "--data", str(self.data)]
        return [str(program), "serve", *address, *storage, *self._extra]

    def environment(self) -> dict[str, str]:
        own = {key: value for key, value in os.environ.items() if not key.startswith("HEADWATER")}
        return {**own, **self._env}

    def is_ready(self) -> bool:
        try:
            answer = httpx2.get(f"{self.url}/readyz", timeout=5, trust_env=False)
        except httpx2.TransportError:
            return False
        return answer.status_code == 200
