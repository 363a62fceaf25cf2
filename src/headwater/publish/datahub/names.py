"""Names as DataHub knows them: urns of datasets, their fields, flows and jobs."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from headwater.answers.inventory.entries import DatasetRef
from headwater.model.systems import system_of_dataset
from headwater.model.uses import Name

# DataHub takes no longer ones.
LONGEST_URN = 512
# As DataHub's own clients write them within a urn.
_RESERVED = {",": "%2C", "(": "%28", ")": "%29", "\u241f": "%E2%90%9F"}
_PLATFORMS = {
    "abfss": "abs",
    "awsathena": "athena",
    "azure": "abs",
    "confluent": "kafka",
    "file": "file",
    "sqlserver": "mssql",
    "unitycatalog": "databricks",
}
_GLUE = re.compile(r"arn:aws[^:]*:glue:")
_BUCKETS = frozenset(("s3", "gcs"))


class PlatformMapping(NamedTuple):
    """What the datasets of a namespace are in DataHub: a platform, its instance and environment."""

    namespace: str
    platform: str
    instance: str = ""
    env: str = ""


def read_mapping(text: str) -> PlatformMapping:
    """Read `NAMESPACE=PLATFORM[,INSTANCE[,ENV]]`; raises ValueError."""
    namespace, sign, rest = text.rpartition("=")
    parts = [part.strip() for part in rest.split(",")]
    if not sign or not namespace or not parts[0] or len(parts) > 3:
        raise ValueError(f"'{text}' is not NAMESPACE=PLATFORM, nor NAMESPACE=PLATFORM,INSTANCE,ENV")
    return PlatformMapping(namespace, *parts)


class Urns:
    """Makes urns; None where one would be longer than DataHub takes."""

    def __init__(self, env: str, mappings: Sequence[PlatformMapping], is_lower: bool) -> None:
        self._env = env
        self._mappings = {each.namespace: each for each in mappings}
        self._is_lower = is_lower

    def dataset(self, dataset: DatasetRef) -> str | None:
        """By the first of its names whose namespace is mapped, else by the one it is shown by."""
        mapped = (name for name in dataset.names if name.namespace in self._mappings)
        name = next(mapped, dataset.name)
        own = self._mappings.get(name.namespace)
        mapping = own or PlatformMapping(name.namespace, _platform(name.namespace))
        text = _local_name(name, mapping.platform)
        text = text.lower() if self._is_lower else text
        text = f"{mapping.instance}.{text}" if mapping.instance else text
        platform = f"urn:li:dataPlatform:{_encode(mapping.platform)}"
        return _short(f"urn:li:dataset:({platform},{_encode(text)},{mapping.env or self._env})")

    def flow(self, orchestrator: str, namespace: str) -> str | None:
        return _short(f"urn:li:dataFlow:({_encode(orchestrator)},{_encode(namespace)},{self._env})")

    def job(self, flow: str, name: str) -> str | None:
        return _short(f"urn:li:dataJob:({flow},{_encode(name)})")


def field_urn(dataset: str, column: str) -> str:
    return f"urn:li:schemaField:({dataset},{_encode(column)})"


def orchestrator_of(integration: str, system: str) -> str:
    """What runs a job, as DataHub writes it: `kafka-connect`, `spark`."""
    name = (integration or system or "headwater").lower()
    return name.replace("_", "-")


def _platform(namespace: str) -> str:
    if _GLUE.match(namespace):
        return "glue"
    system = system_of_dataset(namespace) or "unknown"
    return _PLATFORMS.get(system, system)


def _local_name(name: Name, platform: str) -> str:
    """The name within its platform: of files with the bucket, of Glue DATABASE.TABLE."""
    if platform == "glue" and name.name.startswith("table/"):
        return name.name.removeprefix("table/").replace("/", ".")
    if platform in _BUCKETS:
        bucket = name.namespace.partition("://")[2].strip("/")
        return f"{bucket}/{name.name.strip('/')}".strip("/")
    return name.name


def _encode(text: str) -> str:
    return "".join(_RESERVED.get(character, character) for character in text)


def _short(urn: str) -> str | None:
    return urn if len(urn.encode()) <= LONGEST_URN else None
