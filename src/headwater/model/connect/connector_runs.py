"""Runs of Kafka connectors, which a worker and whoever looks at it from outside name alike."""

import hashlib
import uuid
from collections.abc import Mapping

from headwater.model.connect.connector_secrets import HIDDEN, is_secret_key, without_secrets

Config = Mapping[str, str]


def shown(config: Config) -> dict[str, str]:
    """A configuration without what is a secret by its key or form; a run is identified by it."""
    return {
        key: HIDDEN if is_secret_key(key) else without_secrets(value)
        for key, value in config.items()
    }


def connector_run_id(
    kafka_cluster: str, connect_cluster: str, connector: str, config: Config
) -> uuid.UUID:
    """The run of a connector, the same to all who see its configuration, even without secrets."""
    clean = shown(config)
    lines = "".join(f"{key}={clean[key]}\n" for key in sorted(clean))
    digest = hashlib.sha256(lines.encode()).hexdigest()
    return uuid.uuid5(
        uuid.NAMESPACE_URL, "\n".join((kafka_cluster, connect_cluster, connector, digest))
    )
