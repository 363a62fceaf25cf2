"""A Spark session with Kafka and Iceberg, as both programs of the lab have it."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from headwater.config import SparkSettings
from headwater.pipeline.spark.packages import ICEBERG, KAFKA
from headwater.pipeline.spark.session import session
from testing.services import iceberg


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """What both programs are told: where the server is, and where their files go."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", required=True, help="URL of Headwater")
    parser.add_argument("--folder", required=True, type=Path, help="for tables and checkpoints")
    return parser


@contextmanager
def open_spark(name: str, folder: Path) -> Iterator[SparkSession]:
    """A session that ends with the block and its JVM with it, also when the program is told to end.

    Lineage is read from the JVM: who listens has to close that before.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    conf = {
        **iceberg.catalog_conf(folder / "lake"),
        # Of a few rows, more partitions are more files and more waiting.
        "spark.sql.shuffle.partitions": "2",
    }
    settings = SparkSettings(master="local[2]", conf=conf)
    with session(settings, name, [KAFKA, ICEBERG], folder=folder) as spark:
        yield spark
