"""Where a session sends its lineage: by Spark properties, or environment variables."""

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STOCK_LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"
_YES = frozenset(("1", "on", "true", "yes"))


class ListenerSettings(NamedTuple):
    url: str
    namespace: str
    token: str
    batch: bool
    has_stock_listener: bool
    """OpenLineage's own listener runs as well: it reports batch jobs and micro-batches."""


def read_settings(spark: "SparkSession") -> ListenerSettings:
    """Read `spark.headwater.*` of a session, or `HEADWATER_SPARK_*`."""
    stock_namespace = _conf(spark, "spark.openlineage.namespace")
    listeners = _conf(spark, "spark.extraListeners")
    return ListenerSettings(
        _setting(spark, "url"),
        # Under one namespace the stock listener's micro-batches are known as those of our streams.
        _setting(spark, "namespace") or stock_namespace or _conf(spark, "spark.app.name"),
        _setting(spark, "token"),
        _setting(spark, "batch").lower() in _YES,
        _STOCK_LISTENER in listeners,
    )


def _setting(spark: "SparkSession", name: str) -> str:
    variable = f"HEADWATER_SPARK_{name.upper()}"
    return _conf(spark, f"spark.headwater.{name}") or os.environ.get(variable, "")


def _conf(spark: "SparkSession", name: str) -> str:
    return spark.conf.get(name, "") or ""
