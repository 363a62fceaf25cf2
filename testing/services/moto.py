"""A throw-away S3, as moto plays it, for sinks that write there."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from xml.etree import ElementTree

import httpx2

from testing.services.process import Process, StartFailed, free_port

LOCK = Path(__file__).with_name("connect-moto") / "requirements.lock"


class Moto(Process):
    """One server on a port of the loopback address; takes any key."""

    name = "moto"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    @classmethod
    def start(cls) -> Self:
        service = cls()
        try:
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    def create_bucket(self, name: str) -> None:
        httpx2.put(f"{self.url}/{name}", timeout=30, trust_env=False).raise_for_status()

    def keys(self, bucket: str) -> list[str]:
        """The keys of all objects in a bucket."""
        answer = httpx2.get(f"{self.url}/{bucket}?list-type=2", timeout=30, trust_env=False)
        found = ElementTree.fromstring(answer.raise_for_status().content)
        return [key.text or "" for key in found.iter() if key.tag.endswith("}Key")]

    def command(self) -> Sequence[str]:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
        python = Path(home) / "headwater" / f"{LOCK.parent.name}-{digest}" / "bin" / "python"
        if not python.exists():
            raise StartFailed("moto is missing; run scripts/install-services")
        return [str(python), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]

    def is_ready(self) -> bool:
        try:
            return httpx2.get(self.url, timeout=5, trust_env=False).status_code == 200
        except httpx2.TransportError:
            return False
