"""A Kafka broker that knows its users: who is asked for at a port of its own may do little."""

from testing.services.kafka import Kafka
from testing.services.process import free_port

USER, PASSWORD = "estate", "of-the-tests"
_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"


class GuardedKafka(Kafka):
    """SASL beside the plain port; whoever comes by the plain one may do everything."""

    def __init__(self) -> None:
        super().__init__()
        self.sasl_port = free_port()

    @property
    def sasl_bootstrap(self) -> str:
        return f"127.0.0.1:{self.sasl_port}"

    def _settings(self) -> dict[str, str]:
        settings = super()._settings()
        for name in ("listeners", "advertised.listeners"):
            settings[name] += f",SASL_PLAINTEXT://{self.sasl_bootstrap}"
        protocols = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT"
        module = f'{_PLAIN} user_{USER}="{PASSWORD}";'
        return {
            **settings,
            "listener.security.protocol.map": protocols,
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": module,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
        }
