"""Runs of Kafka connectors, which a worker and whoever looks at it from outside name alike."""

import hashlib
import re
import uuid
from collections.abc import Mapping

from headwater.model.connect.connectors import knowledge

Config = Mapping[str, str]

_HIDDEN = "***"


def shown(config: Config) -> dict[str, str]:
    """A configuration without its secrets."""
    secrets = knowledge()["secrets"]
    clean: dict[str, str] = {}
    for key, value in config.items():
        if re.fullmatch(secrets["keys"], key):
            clean[key] = _HIDDEN
        else:
            without_users = re.sub(secrets["in_addresses"], f"{_HIDDEN}@", value)
            clean[key] = re.sub(secrets["in_options"], rf"\g<1>{_HIDDEN}", without_users)
    return clean


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
