"""The packages for Spark that Headwater, its demo, labs and tests ask for, as Maven names them.

`{spark}` stands for the version of Spark that is installed. Digests of their jars are in jars.lock,
which `make lock` writes.
"""

import re
from collections.abc import Collection
from importlib.metadata import version
from typing import NamedTuple

from headwater.errors import BadConfig

AVRO = "org.apache.spark:spark-avro_2.13:{spark}"
# For tests of programs that use them; the delta of another Spark is another one.
DELTA = "io.delta:delta-spark_2.13:4.0.1"
POSTGRESQL = "org.postgresql:postgresql:42.7.11"
ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0"
KAFKA = "org.apache.spark:spark-sql-kafka-0-10_2.13:{spark}"
OPENLINEAGE = "io.openlineage:openlineage-spark_2.13:1.53.0"
KNOWN = (AVRO, DELTA, ICEBERG, KAFKA, OPENLINEAGE, POSTGRESQL)

SETTING = "spark.jars.packages"


class Package(NamedTuple):
    """A package as Maven names it."""

    group: str
    artifact: str
    version: str

    @classmethod
    def parse(cls, text: str) -> "Package":
        """Read `group:artifact:version`."""
        parts = text.split(":")
        if len(parts) != 3 or not all(re.fullmatch(r"[\w.+-]+", part) for part in parts):
            raise BadConfig(SETTING, f"'{text}' is not GROUP:ARTIFACT:VERSION")
        return cls(*parts)

    @property
    def jar(self) -> str:
        return f"{self.artifact}-{self.version}.jar"


def parse_packages(texts: Collection[str]) -> list[Package]:
    """Packages by their names, each once."""
    names = (text.replace("{spark}", version("pyspark")).strip() for text in texts)
    return sorted({Package.parse(name) for name in names if name})
