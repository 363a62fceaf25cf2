"""What Glue is to hold: of each table of the estate, where it comes from, in a few values."""

import re
from collections.abc import Iterator

import msgspec

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import DatasetRef, InventoryDataset
from headwater.publish.catalog import CatalogItem, Json, subject_of
from headwater.publish.catalog.summary import summarise
from headwater.publish.catalog.topology import read_topology

TABLE = "table"
KINDS = (TABLE,)
# Glue takes 512,000 characters a value; what lists tables reads all of them.
LONGEST_VALUE = 8_000
LONGEST_DESCRIPTION = 2_048
_ARN = re.compile(r"arn:aws[a-z-]*:glue:(?P<region>[^:]*):(?P<account>[^:]*)")
_NAME = re.compile(r"table/(?P<database>[^/]+)/(?P<table>.+)")
_BRIDGE = re.compile(r"aws://(?P<region>[^/]+)/(?P<database>.+)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def table_key(dataset: DatasetRef, region: str, account: str) -> str | None:
    """`DATABASE/TABLE` of the table that a dataset is, under any of its names, in a region."""
    for name in dataset.names:
        arn, parts = _ARN.fullmatch(name.namespace), _NAME.fullmatch(name.name)
        if arn and parts and arn["region"] == region and account in ("", arn["account"]):
            return f"{parts['database']}/{parts['table']}"
        bridge = _BRIDGE.fullmatch(name.namespace)
        if bridge and bridge["region"] == region and "/" not in name.name:
            return f"{bridge['database']}/{name.name}"
    return None


def glue_items(
    inventory: Inventory, region: str, account: str, prefix: str
) -> Iterator[CatalogItem]:
    """A summary of each table that is made of anything."""
    topology = read_topology(inventory)
    for entry in inventory.datasets():
        key = table_key(entry.dataset, region, account)
        if key is None:
            continue
        summary = summarise(topology, entry.dataset)
        if not summary.hops:
            continue
        parameters = summary.properties(prefix, LONGEST_VALUE) | _columns(entry, prefix)
        body: Json = {
            "parameters": {name: _CONTROL.sub(" ", value) for name, value in parameters.items()},
            "description": _CONTROL.sub(" ", summary.sentence(LONGEST_DESCRIPTION)),
        }
        yield CatalogItem(TABLE, key, subject_of(entry.dataset.name), body)


def _columns(entry: InventoryDataset, prefix: str) -> dict[str, str]:
    """Where each column comes from, as JSON; columns that there is no room for are counted."""
    sources: dict[str, list[str]] = {}
    for upstream in entry.upstreams:
        for link in upstream.columns:
            if link.target and link.source and not link.is_indirect:
                found = f"{subject_of(upstream.dataset.name)}#{link.source}"
                sources.setdefault(link.target, []).append(found)
    kept: dict[str, list[str]] = {}
    size = 2
    for column in sorted(sources):
        size += len(msgspec.json.encode({column: sources[column]}))
        if size > LONGEST_VALUE:
            break
        kept[column] = sorted(sources[column])
    if not sources:
        return {}
    left_out = len(sources) - len(kept)
    stated = {f"{prefix}.columns": msgspec.json.encode(kept).decode()}
    return stated | ({f"{prefix}.columns_left_out": str(left_out)} if left_out else {})
