"""How a collector connects to the stand-in: its address and keys, whose secrets are in files."""

from pathlib import Path
from typing import Any

from headwater.demo.confluent.cloud import StandInCloud
from headwater.demo.confluent.estate import CloudEstate, Credentials


def connection_settings(cloud: StandInCloud, folder: Path) -> dict[str, Any]:
    """The settings of `collect confluent` for a stand-in; secrets are put into files of a folder,
    since settings only refer to them."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = _by_resource(cloud.estate)
    return {
        "url": cloud.url,
        "telemetry_url": cloud.url,
        "user": cloud.estate.cloud.key,
        "password": _reference(folder, cloud.estate.cloud),
        "keys": tuple(
            f"{resource}={each.key}:{_reference(folder, each)}" for resource, each in keys.items()
        ),
        "state": folder / "state",
    }


def _by_resource(estate: CloudEstate) -> dict[str, Credentials]:
    found = {"tableflow": estate.tableflow}
    for environment in estate.environments.values():
        found[f"schema-registry:{environment.id}"] = environment.registry
        found[f"flink:{environment.id}"] = environment.flink
        found |= {each.id: each.credentials for each in environment.clusters.values()}
        found |= {each.id: each.credentials for each in environment.ksqldb.values()}
    return found


def _reference(folder: Path, credentials: Credentials) -> str:
    file = folder / f"{credentials.key}.secret"
    file.touch(mode=0o600)
    file.write_text(credentials.secret)
    return f"file:{file}"
