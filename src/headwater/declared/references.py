"""How files of declared jobs name datasets: `kafka://orders`, `postgres://db:5432/shop.public.t`."""

from headwater.model import naming
from headwater.model.naming import DatasetName

# Of these the whole is a location, whose parts other producers name in one way.
_LOCATIONS = ("s3", "s3a", "s3n", "gs", "hdfs", "abfs", "abfss", "wasb", "wasbs", "file")


def dataset_of(reference: str, namespace: str | None = None) -> DatasetName:
    """The dataset that a reference names; raises ValueError where it does not say its namespace.

    `kafka://TOPIC` is a topic of the default cluster, whose namespace is `kafka`;
    `kafka://HOST:PORT/TOPIC` names the cluster.
    """
    if namespace is not None:
        return DatasetName(namespace, reference)
    scheme, separator, rest = reference.partition("://")
    if not separator:
        if reference.startswith("file:/"):
            return naming.by_location(reference)
        raise ValueError(
            f"{reference!r} names no namespace: write NAMESPACE://NAME, or a mapping with "
            "namespace and name"
        )
    authority, slash, name = rest.partition("/")
    if scheme == "kafka" and not slash:
        return DatasetName("kafka", _named(authority, reference))
    if scheme == "kafka":
        return naming.kafka(_named(authority, reference), _named(name, reference))
    if scheme in _LOCATIONS:
        return naming.by_location(reference)
    return DatasetName(f"{scheme}://{_named(authority, reference)}", _named(name, reference))


def _named(part: str, reference: str) -> str:
    if not part:
        raise ValueError(f"{reference!r} is no name of a dataset: NAMESPACE://AUTHORITY/NAME")
    return part
