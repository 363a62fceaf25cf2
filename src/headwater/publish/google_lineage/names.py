"""Names as Google's Data Lineage API knows them."""

import re

from headwater.answers.inventory.entries import DatasetRef
from headwater.model.uses import Name

LONGEST = 4_000
_CONFLUENT = re.compile(r"confluent://[^/]+/(?P<cluster>[^/]+)")
_GOOGLE = re.compile(r"google://(?P<project>[^/]+)/(?P<dataset>[^/]+)")
# Of several names the one that Google's own lineage uses.
_PREFERRED = ("bigquery", "gs://", "pubsub", "spanner://", "kafka://")


def google_name(dataset: DatasetRef) -> Name | None:
    """The name of a dataset there; None where it is too long."""
    names = [_rewrite(name) for name in dataset.names]
    names.sort(key=lambda name: not name.namespace.startswith(_PREFERRED))
    return next((name for name in names if _is_short(name)), None)


def _rewrite(name: Name) -> Name:
    if found := _CONFLUENT.fullmatch(name.namespace):
        return Name(f"kafka://{found['cluster']}", name.name)
    if found := _GOOGLE.fullmatch(name.namespace):
        table = name.name
        if table.count(".") < 2:
            table = f"{found['project']}.{found['dataset']}.{table.rpartition('.')[2]}"
        return Name("bigquery", table)
    for alias in ("s3a://", "s3n://"):
        if name.namespace.startswith(alias):
            return Name("s3://" + name.namespace.removeprefix(alias), name.name)
    return name


def _is_short(name: Name) -> bool:
    """A fully qualified name is made of both, with quotes where needed."""
    return len(name.namespace) + len(name.name) + 4 <= LONGEST
