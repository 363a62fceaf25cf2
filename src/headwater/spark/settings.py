"""Where a session sends its lineage: by Spark properties, or environment variables."""

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STOCK_LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"
_YES = frozenset(("1", "on", "true", "yes"))
_NO = frozenset(("0", "off", "false", "no"))


class ConfiguredParent(NamedTuple):
    """The run that started the application, such as a task of an orchestrator."""

    namespace: str
    name: str
    run: str
    root: "ConfiguredParent | None" = None


class ListenerSettings(NamedTuple):
    url: str
    namespace: str
    token: str
    batch: bool
    has_stock_listener: bool
    """OpenLineage's own listener runs as well: it reports batch jobs and micro-batches."""
    parent: ConfiguredParent | None


def read_settings(spark: "SparkSession") -> ListenerSettings:
    """Read `spark.headwater.*` of a session, or `HEADWATER_SPARK_*`."""
    stock_namespace = _conf(spark, "spark.openlineage.namespace")
    listeners = _conf(spark, "spark.extraListeners")
    return ListenerSettings(
        _setting(spark, "url"),
        # Under one namespace the stock listener's micro-batches are known as those of our streams.
        _setting(spark, "namespace") or stock_namespace or _conf(spark, "spark.app.name"),
        _setting(spark, "token"),
        _setting(spark, "batch").lower() not in _NO,
        _STOCK_LISTENER in listeners,
        _read_parent(spark),
    )


def shows_literals(given: str) -> bool:
    """Whether descriptions of columns have the values that a program has in its expressions."""
    return (given or os.environ.get("HEADWATER_SPARK_LITERALS", "")).lower() in _YES


def _read_parent(spark: "SparkSession") -> ConfiguredParent | None:
    """What started the application, by the properties of OpenLineage's own listener."""
    root = _read_run(spark, "rootParent")
    parent = _read_run(spark, "parent")
    return parent._replace(root=root) if parent else None


def _read_run(spark: "SparkSession", which: str) -> ConfiguredParent | None:
    namespace, name, run = (
        _conf(spark, f"spark.openlineage.{which}{part}")
        for part in ("JobNamespace", "JobName", "RunId")
    )
    # A run is nothing without its job; a namespace has a default there too.
    return ConfiguredParent(namespace or "default", name, run) if name and run else None


def find_notebook(spark: "SparkSession") -> str:
    """The notebook that runs, where Databricks or Jupyter say so."""
    return _conf(spark, "spark.databricks.notebook.path") or os.environ.get("JPY_SESSION_NAME", "")


def _setting(spark: "SparkSession", name: str) -> str:
    variable = f"HEADWATER_SPARK_{name.upper()}"
    return _conf(spark, f"spark.headwater.{name}") or os.environ.get(variable, "")


def _conf(spark: "SparkSession", name: str) -> str:
    return spark.conf.get(name, "") or ""
