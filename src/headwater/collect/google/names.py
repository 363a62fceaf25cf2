"""Google's fully qualified names, and the names of the same things in OpenLineage."""

import re

from headwater.model.confluent.names import google_table
from headwater.model.naming import DatasetName, by_location, gcs, kafka

# Parts with other signs than these are in backticks.
_PART = re.compile(r"`([^`]*)`|([^.`]+)")


def bigquery_name(table: str) -> str:
    return f"bigquery:{table}"


def dataset_name(qualified: str) -> DatasetName:
    """A fully qualified name as OpenLineage names the same; else by its system, as it is."""
    system, _, place = qualified.partition(":")
    parts = [quoted or plain for quoted, plain in _PART.findall(place)]
    if system == "bigquery":
        return DatasetName("bigquery", ".".join(parts))
    if system == "kafka" and len(parts) > 1:
        return kafka(parts[0], ".".join(parts[1:]))
    if system == "gcs" and parts:
        return gcs(parts[0], ".".join(parts[1:]))
    if system == "path" and "://" in place:
        return by_location(place)
    if system == "pubsub":
        # As `topic:PROJECT.TOPIC`.
        kind, _, rest = place.partition(":")
        return DatasetName("pubsub", f"{kind}:{rest.replace('.', ':', 1)}")
    return DatasetName(system, place) if place else DatasetName("google", qualified)


def other_names(name: DatasetName) -> tuple[DatasetName, ...]:
    """What LineageBridge calls a table of BigQuery."""
    parts = name.name.split(".")
    if name.namespace == "bigquery" and len(parts) == 3:
        return (google_table(*parts),)
    return ()
