"""Rows by topic, from offsets; bytes only of what they are of."""

from typing import Any

from headwater.model.naming import DatasetName
from headwater.spark.counts.counting import Count, QueryCounts, Work

A, B = DatasetName("kafka://h:9092", "a"), DatasetName("kafka://h:9092", "b")
STATIC = DatasetName("file", "/static")


def progress(start: Any, end: Any, rows: int, number: int = 0) -> dict[str, Any]:
    source = {"startOffset": start, "endOffset": end, "numInputRows": rows}
    return {"batchId": number, "sources": [source], "sink": {"numOutputRows": -1}}


def test_several_topics_from_the_first_batch_on() -> None:
    """Where the first batch began is known from the source, not from the batch."""
    counts = QueryCounts()
    counts.moved(progress(None, {"a": {"0": 7}, "b": {"0": 3}}, 8))
    assert counts.of_inputs([[A, B]]) == {A: Count(), B: Count()}
    counts.sources[0] = counts.sources[0].began_at({"a": {"0": 2}, "b": {"0": 0}})
    assert counts.of_inputs([[A, B]]) == {A: Count(5), B: Count(3)}
    counts.moved(progress({"a": {"0": 7}, "b": {"0": 3}}, {"a": {"0": 9}, "b": {"0": 3}}, 2, 1))
    assert counts.of_inputs([[A, B]]) == {A: Count(7), B: Count(3)}


def test_a_restart_knows_where_it_began() -> None:
    counts = QueryCounts()
    counts.moved(progress({"a": {"0": 7}}, {"a": {"0": 9}, "b": {"0": 4}}, 6))
    assert counts.of_inputs([[A, B]]) == {A: Count(2), B: Count(4)}


def test_a_batch_that_is_read_for_every_sink_is_counted_once() -> None:
    counts = QueryCounts()
    counts.moved(progress(None, {"a": {"0": 3}}, 15))
    counts.sources[0] = counts.sources[0].began_at({"a": {"0": 0}})
    counts.moved(progress({"a": {"0": 3}}, {"a": {"0": 5}}, 10, 1))
    assert counts.of_inputs([[A]], topics=[A]) == {A: Count(5)}


def test_bytes_are_of_no_topic() -> None:
    counts = QueryCounts()
    counts.moved(progress({"a": {"0": 0}}, {"a": {"0": 3}}, 3))
    counts.work = Work(bytes_read=1000)
    assert counts.of_inputs([[A]], topics=[A]) == {A: Count(3)}
    counts.read_static(STATIC, Count(10, 900))
    counts.read_static(STATIC, Count(4, 400))
    assert counts.of_inputs([[A]], topics=[A]) == {A: Count(3), STATIC: Count(10, 900)}
