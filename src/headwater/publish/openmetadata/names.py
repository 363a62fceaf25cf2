"""Names as OpenMetadata knows them: the type and the fully qualified name of an entity."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from headwater.answers.inventory.entries import DatasetRef
from headwater.model.systems import system_of_dataset
from headwater.model.uses import Name
from headwater.model.values import ids

TABLE, TOPIC, CONTAINER = "table", "topic", "container"
# OpenMetadata takes no longer ones.
LONGEST_NAME = 256
_STREAMS = frozenset(("confluent", "kafka", "kinesis", "pubsub", "pulsar"))
_STORAGES = frozenset(("azure", "file", "gcs", "hdfs", "s3"))
_REFUSED = re.compile(r"::|[>\"\x00-\x1f]")


class ServiceMapping(NamedTuple):
    """What the namespaces that begin so are: a service, or a database or bucket of one."""

    namespace: str
    service: str


class EntityName(NamedTuple):
    """An entity by its type and fully qualified name."""

    type: str
    fqn: str


def read_service(text: str) -> ServiceMapping:
    """Read `NAMESPACE=SERVICE`; raises ValueError."""
    namespace, sign, service = text.rpartition("=")
    if not sign or not namespace or not service.strip(". "):
        raise ValueError(f"'{text}' is not NAMESPACE=SERVICE, such as kafka://broker:9092=kafka")
    return ServiceMapping(namespace, service.strip(". "))


class EntityNames:
    """Finds what a dataset is called; the mapping with the longest namespace counts."""

    def __init__(self, mappings: Sequence[ServiceMapping], is_lower: bool) -> None:
        self._mappings = sorted(mappings, key=lambda each: -len(each.namespace))
        self._is_lower = is_lower

    def find(self, dataset: DatasetRef) -> EntityName | None:
        """By the first of its names whose namespace is mapped; None where none is."""
        for name in dataset.names:
            for mapping in self._mappings:
                if name.namespace.startswith(mapping.namespace):
                    return self._entity(name, mapping.service)
        return None

    def _entity(self, name: Name, service: str) -> EntityName:
        system = system_of_dataset(name.namespace)
        text = name.name.lower() if self._is_lower else name.name
        if system in _STREAMS:
            return EntityName(TOPIC, f"{service}.{quote_part(text)}")
        if system in _STORAGES:
            bucket = name.namespace.partition("://")[2].strip("/")
            parts = [part for part in (bucket, text.strip("/")) if part]
            return EntityName(CONTAINER, ".".join((service, *map(quote_part, parts))))
        table = text.removeprefix("table/").replace("/", ".") if system == "arn" else text
        return EntityName(TABLE, f"{service}.{table}")


def quote_part(part: str) -> str:
    """A part of a fully qualified name, quoted where it needs it."""
    if "." not in part and '"' not in part:
        return part
    escaped = part.replace('"', '""')
    return f'"{escaped}"'


def pipeline_name(job: Name) -> str:
    """As OpenMetadata's own connector names the pipeline of a job, where it takes that name."""
    name = f"{job.namespace}-{job.name}"
    if len(name) <= LONGEST_NAME and not _REFUSED.search(name):
        return name
    mark = ids.digest(name.encode()).hex()[:12]
    return f"{_REFUSED.sub('_', name)[: LONGEST_NAME - 13]}-{mark}"
