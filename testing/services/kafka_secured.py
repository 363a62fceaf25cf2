"""A Kafka broker with a port of each security protocol, users, a CA and ACLs."""

from pathlib import Path

from confluent_kafka.admin._acl import AclBinding, AclOperation, AclPermissionType
from confluent_kafka.admin._resource import ResourcePatternType, ResourceType

from testing.services.certificates import Authority
from testing.services.kafka import ANSWER_SECONDS, Kafka
from testing.services.process import free_port

USER = "alice"
PASSWORD = "of-the-tests\\"
_LISTENERS = ("SSL", "SASL_SSL", "SASL_PLAINTEXT", "EXPIRED", "NAMELESS")
_PROTOCOLS = {"EXPIRED": "SSL", "NAMELESS": "SSL"}


class SecuredKafka(Kafka):
    """Everyone may do all that no ACL denies; who comes in plain text may do all.

    Two more ports have bad certificates: one that has expired, one of another host.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ports: dict[str, int] = {}
        while len(set(self._ports.values())) < len(_LISTENERS):
            self._ports = {name: free_port() for name in _LISTENERS}

    @property
    def ca(self) -> Path:
        return self.directory / "ca.pem"

    @property
    def client(self) -> tuple[Path, Path]:
        """The certificate and the key of a client, files as PEM."""
        return self.directory / "client.pem", self.directory / "client.key"

    def address(self, listener: str) -> str:
        """Where a protocol, or EXPIRED or NAMELESS, is spoken."""
        return f"127.0.0.1:{self._ports[listener]}"

    def allow(self, kind: ResourceType, name: str, operation: AclOperation) -> None:
        """Allow the user an operation on a topic or a group, and by that nobody any other."""
        self._add_acl(kind, name, operation, AclPermissionType.ALLOW)

    def deny(self, kind: ResourceType, name: str, operation: AclOperation) -> None:
        """Deny the user an operation on a topic or a group."""
        self._add_acl(kind, name, operation, AclPermissionType.DENY)

    def _add_acl(
        self, kind: ResourceType, name: str, operation: AclOperation, type_: AclPermissionType
    ) -> None:
        pattern = ResourcePatternType.LITERAL
        binding = AclBinding(kind, name, pattern, f"User:{USER}", "*", operation, type_)
        with self._admin() as admin:
            admin.create_acls([binding])[binding].result(ANSWER_SECONDS)

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        listeners = "".join(f",{name}://{self.address(name)}" for name in _LISTENERS)
        for name in ("listeners", "advertised.listeners"):
            settings[name] += listeners
        protocols = {name: _PROTOCOLS.get(name, name) for name in _LISTENERS}
        protocols |= {"PLAINTEXT": "PLAINTEXT", "CONTROLLER": "PLAINTEXT"}
        own = {
            "listener.security.protocol.map": ",".join(map(":".join, protocols.items())),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "allow.everyone.if.no.acl.found": "true",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.ca),
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
            "listener.name.ssl.ssl.client.auth": "required",
        }
        return {**settings, **own, **self._certificates(), **_users()}

    def _certificates(self) -> dict[str, str]:
        """A certificate for each port of TLS, in a file with its key."""
        names = {"SSL": "broker", "SASL_SSL": "broker", "EXPIRED": "old", "NAMELESS": "other"}
        settings = {}
        for listener, name in names.items():
            prefix = f"listener.name.{listener.lower()}.ssl.keystore"
            settings[f"{prefix}.type"] = "PEM"
            settings[f"{prefix}.location"] = str(self.directory / f"{name}-with-key.pem")
        return settings

    def _format(self) -> None:
        authority = Authority(self.directory)
        authority.issue("client")
        for name, host, has_expired in (
            ("broker", "127.0.0.1", False),
            ("old", "127.0.0.1", True),
            ("other", "kafka.invalid", False),
        ):
            files = authority.issue(name, host, has_expired=has_expired)
            whole = b"".join(file.read_bytes() for file in reversed(files))
            (self.directory / f"{name}-with-key.pem").write_bytes(whole)
        super()._format()

    def _format_options(self) -> list[str]:
        options = []
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            options += ["--add-scram", f"{mechanism}=[name={USER},password={PASSWORD}]"]
        return options


def _users() -> dict[str, str]:
    """The entries by which the broker knows its users; those of SCRAM are in its metadata."""
    module = "org.apache.kafka.common.security"
    settings = {}
    for listener in ("sasl_ssl", "sasl_plaintext"):
        prefix = f"listener.name.{listener}"
        password = PASSWORD.replace("\\", "\\\\")
        plain = f'{module}.plain.PlainLoginModule required user_{USER}="{password}";'
        # As the file of properties has it.
        settings[f"{prefix}.plain.sasl.jaas.config"] = plain.replace("\\", "\\\\")
        for number in ("256", "512"):
            scram = f"{module}.scram.ScramLoginModule required;"
            settings[f"{prefix}.scram-sha-{number}.sasl.jaas.config"] = scram
    return settings
