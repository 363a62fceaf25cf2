"""What a stream's run keeps of the plans that its batches are written by."""

from typing import Any

from headwater.emit.gaps import GapEntry
from headwater.model.naming import DatasetName
from headwater.spark.plan_lineage import PlanDataset, PlanLineage
from headwater.spark.relations import PlanRelation
from headwater.spark.streams import StreamRun

IN, OUT = PlanRelation(DatasetName("file", "/in")), PlanRelation(DatasetName("file", "/out"))


def lineage(column: str, field: str, subtype: str = "IDENTITY", rows: str = "") -> PlanLineage:
    """A plan that writes one column."""
    facet: dict[str, Any] = {"fields": {column: {"inputFields": [source(field, subtype)]}}}
    if rows:
        facet["dataset"] = [source(rows, "FILTER")]
    return PlanLineage([PlanDataset(IN, [])], [PlanDataset(OUT, [{"name": column}], facet)], [])


def source(field: str, subtype: str) -> dict[str, Any]:
    way = {"type": "DIRECT", "subtype": subtype, "description": "", "masking": False}
    return {"namespace": "file", "name": "/in", "field": field, "transformations": [way]}


def test_what_adds_nothing_is_not_new() -> None:
    """Plans with the number of their batch are others each time, and have the same lineage."""
    stream = StreamRun("shop", "orders", "id", "run")
    assert stream.add(lineage("id", "id"))
    assert not stream.add(lineage("id", "id"))
    assert stream.add(lineage("id", "id")._replace(gaps=[GapEntry("input", "x", "y")]))


def test_two_plans_that_write_to_one_table() -> None:
    stream = StreamRun("shop", "orders", "id", "run")
    stream.add(lineage("id", "id", rows="at"))
    assert stream.add(lineage("id", "id", "TRANSFORMATION"))
    assert stream.add(lineage("id", "other"))
    assert stream.add(lineage("who", "name"))
    (written,) = stream.event("RUNNING")["outputs"]
    assert [field["name"] for field in written["facets"]["schema"]["fields"]] == ["id", "who"]
    facet = written["facets"]["columnLineage"]
    ways = {
        (column, each["field"]): [way["subtype"] for way in each["transformations"]]
        for column, value in facet["fields"].items()
        for each in value["inputFields"]
    }
    assert ways == {
        ("id", "id"): ["IDENTITY", "TRANSFORMATION"],
        ("id", "other"): ["IDENTITY"],
        ("who", "name"): ["IDENTITY"],
    }
    assert [each["field"] for each in facet["dataset"]] == ["at"]
