"""How files of declared jobs name datasets: `kafka://orders`, `postgres://db:5432/shop.public.t`."""

import re

from headwater.model import naming
from headwater.model.naming import DatasetName

# Of these the whole is a location, whose parts other producers name in one way.
_LOCATIONS = ("s3", "s3a", "s3n", "gs", "hdfs", "abfs", "abfss", "wasb", "wasbs", "file")
# Systems that have one namespace for all, and no host in it.
_WITHOUT_HOST = ("bigquery", "pubsub")
# Other producers name a server with its port, and by these schemes.
_PORTS = {
    "cassandra": 9042,
    "db2": 50000,
    "mariadb": 3306,
    "mongodb": 27017,
    "mssql": 1433,
    "mysql": 3306,
    "oracle": 1521,
    "postgres": 5432,
    "redshift": 5439,
}
_PASSWORD = re.compile(r"(?P<scheme>[^:/]+://)[^/@]*:[^/]*@(?P<host>[^/]*)")
_SCHEMES = {"postgresql": "postgres", "sqlserver": "mssql"}


def dataset_of(reference: str, namespace: str | None = None) -> DatasetName:
    """The dataset that a reference names; raises ValueError where it does not say its namespace.

    `kafka://TOPIC` is a topic of the default cluster, whose namespace is `kafka`;
    `kafka://HOST:PORT/TOPIC` names the cluster. `bigquery://PROJECT.DATASET.TABLE` has no host.
    """
    if namespace is not None:
        _without_password(namespace)
        return DatasetName(namespace, reference)
    _without_password(reference)
    scheme, separator, rest = reference.partition("://")
    if not separator:
        if reference.startswith("file:/"):
            return naming.by_location(reference)
        raise ValueError(
            f"{reference!r} names no namespace: write NAMESPACE://NAME, or a mapping with "
            "namespace and name"
        )
    authority, slash, name = rest.partition("/")
    if scheme in _LOCATIONS:
        return naming.by_location(reference)
    if scheme in _WITHOUT_HOST and not slash:
        return DatasetName(scheme, _named(rest, reference))
    if scheme == "kafka":
        return _topic(authority, name, reference) if slash else _default_topic(authority, reference)
    server = _server(_SCHEMES.get(scheme, scheme), _named(authority, reference))
    return DatasetName(server, _named(name, reference))


def _without_password(address: str) -> None:
    """Raise ValueError for a user with a password, which would be shown with the name."""
    if found := _PASSWORD.match(address):
        place = f"{found['scheme']}{found['host']}"
        raise ValueError(f"the name of what is at {place} has a password in it: leave it out")


def _topic(bootstrap: str, topic: str, reference: str) -> DatasetName:
    return naming.kafka(_named(bootstrap, reference), _named(topic, reference))


def _default_topic(topic: str, reference: str) -> DatasetName:
    if ":" in topic:
        raise ValueError(f"{reference!r} names a cluster and no topic: kafka://HOST:PORT/TOPIC")
    return DatasetName("kafka", _named(topic, reference))


def _server(scheme: str, authority: str) -> str:
    """The namespace of a server, with the system's usual port where the reference has none."""
    # Behind the bracket of an IPv6 address only a port has a colon.
    if scheme in _PORTS and ":" not in authority.rpartition("]")[2]:
        return f"{scheme}://{authority}:{_PORTS[scheme]}"
    return f"{scheme}://{authority}"


def _named(part: str, reference: str) -> str:
    if not part:
        raise ValueError(f"{reference!r} is no name of a dataset: NAMESPACE://AUTHORITY/NAME")
    return part
