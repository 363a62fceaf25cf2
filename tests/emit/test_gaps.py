"""The run facet that lists what a producer did not understand."""

from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry, gaps_facets

PRODUCER = Producer.of_part("tests")
RDD = GapEntry("input", "LogicalRDD", "LogicalRDD is not recognised.")
OTHER = GapEntry("operator", "Zip", "Zip is not known.")


def test_each_gap_once_in_order() -> None:
    facet = gaps_facets(PRODUCER, [OTHER, RDD, OTHER])["headwater_gaps"]
    assert facet["gaps"] == [
        {"kind": "input", "name": "LogicalRDD", "description": "LogicalRDD is not recognised."},
        {"kind": "operator", "name": "Zip", "description": "Zip is not known."},
    ]
    assert facet["_producer"] == PRODUCER.url and "_schemaURL" in facet


def test_no_facet_without_gaps() -> None:
    assert gaps_facets(PRODUCER, []) == {}
