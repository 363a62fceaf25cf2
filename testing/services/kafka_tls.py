"""A Kafka broker with a TLS port beside its plain one."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from testing.services.kafka import Kafka
from testing.services.process import free_port

_PASSWORD = "of-the-tests"


class TlsKafka(Kafka):
    """The certificate is its own, for the loopback address."""

    def __init__(self) -> None:
        super().__init__()
        self.tls_port = free_port()

    @property
    def tls_bootstrap(self) -> str:
        return f"127.0.0.1:{self.tls_port}"

    @property
    def client_settings(self) -> Mapping[str, str]:
        """What a client of Java's needs for the TLS port."""
        return {"security.protocol": "SSL", **_store("truststore", self._keys)}

    @property
    def _keys(self) -> Path:
        return self.directory / "keys.p12"

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        for name in ("listeners", "advertised.listeners"):
            settings[name] += f",SSL://{self.tls_bootstrap}"
        # Kafka knows the controller's protocol by itself only where all listeners are plain.
        protocols = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL"
        return {
            **settings,
            "listener.security.protocol.map": protocols,
            **_store("keystore", self._keys),
        }

    def _format(self) -> None:
        command = ["keytool", "-genkeypair", "-alias", "broker", "-keyalg", "EC"]
        command += ["-dname", "CN=broker", "-ext", "san=ip:127.0.0.1", "-validity", "2"]
        command += ["-storetype", "PKCS12", "-keystore", str(self._keys), "-storepass", _PASSWORD]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        super()._format()


def _store(kind: str, file: Path) -> dict[str, str]:
    names = {"location": str(file), "password": _PASSWORD, "type": "PKCS12"}
    return {f"ssl.{kind}.{name}": value for name, value in names.items()}
