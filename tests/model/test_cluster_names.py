"""Which namespaces are one cluster, and the names that a topic has by them."""

import pytest

from headwater.model.values.clusters import ClusterNames, NamedCluster, with_default

MAIN = NamedCluster("main", ["b1:9092", "SASL_SSL://b2"], ["b3:9093", "kafka-eu"])
OTHER = NamedCluster("other", ["o:9092"])


def test_all_names_of_a_cluster() -> None:
    assert MAIN.namespaces() == [
        "kafka://b1:9092",
        "kafka://b2:9092",
        "kafka://main",
        "kafka://main:9092",
        "kafka://b3:9093",
        "kafka-eu",
    ]


def test_the_only_cluster_is_the_default() -> None:
    assert with_default([MAIN])[0].namespaces()[-1] == "kafka"
    assert with_default([MAIN, OTHER]) == [MAIN, OTHER]


def test_the_other_names_of_a_topic() -> None:
    clusters = ClusterNames([MAIN, OTHER._replace(is_default=True)])
    assert list(clusters.others("kafka://b1:9092", "orders"))[:2] == [
        ("kafka://b2:9092", "orders"),
        ("kafka://main", "orders"),
    ]
    assert ("kafka://o:9092", "orders") in list(clusters.others("kafka", "orders"))
    assert list(clusters.others("postgres://db:5432", "orders")) == []
    # A short name, as the id of a node is divided.
    assert ("kafka", "orders") in list(clusters.others("kafka", "//orders"))
    assert ("kafka://o:9092", "orders") in list(clusters.others("kafka", "//orders"))


def test_without_clusters_short_names_are_in_kafka() -> None:
    none = ClusterNames()
    assert not none
    assert list(none.others("kafka", "//orders")) == [("kafka", "orders")]
    assert list(none.others("kafka", "orders")) == []
    assert list(none.others("kafka", "//host:9092/orders")) == []


@pytest.mark.parametrize(
    ("clusters", "words"),
    [
        ([MAIN, OTHER._replace(aliases=["b1:9092"])], "kafka://b1:9092 is of main and of other"),
        (
            [MAIN._replace(is_default=True), OTHER._replace(is_default=True)],
            "the default is of main and of other",
        ),
    ],
)
def test_a_name_is_of_one_cluster(clusters: list[NamedCluster], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ClusterNames(clusters)
