"""A Kafka broker whose users may do only what an ACL allows them."""

from testing.services.kafka_secured import SecuredKafka


class GuardedKafka(SecuredKafka):
    """Who comes in plain text may do all, and everyone else nothing at first."""

    def _settings(self) -> dict[str, str]:
        return {**super()._settings(), "allow.everyone.if.no.acl.found": "false"}
