"""Hive's catalog: inside a Spark session, or a metastore that is a process of its own."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from testing.services.process import Process, free_port


def catalog_conf(folder: Path) -> dict[str, str]:
    """Settings of a session whose catalog is Hive's, kept in a folder."""
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": _database(folder),
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
    }


def log_option(folder: Path) -> str:
    """Derby writes a log to where the program is started, unless told of another place."""
    return f"-Dderby.stream.error.file={folder / 'derby.log'}"


def _database(folder: Path) -> str:
    return f"jdbc:derby:{folder / 'metastore'};create=true"


class Metastore(Process):
    """Hive's metastore, from the jars that come with PySpark, over a database of Derby's."""

    name = "hive"

    def __init__(self, java: Path) -> None:
        super().__init__()
        self._java = java
        self.port = free_port()
        self.uri = f"thrift://127.0.0.1:{self.port}"

    @classmethod
    def start(cls, java: Path) -> Self:
        service = cls(java)
        try:
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    def command(self) -> Sequence[str]:
        import pyspark

        settings = {
            # Its logging wants a library that PySpark does not have.
            "hive.async.log.enabled": "false",
            "javax.jdo.option.ConnectionURL": _database(self.directory),
            "datanucleus.schema.autoCreateAll": "true",
            "hive.metastore.schema.verification": "false",
            "hive.metastore.warehouse.dir": str(self.directory / "tables"),
            "derby.stream.error.file": str(self.directory / "derby.log"),
        }
        jars = Path(pyspark.__file__).parent / "jars"
        options = [f"-D{name}={value}" for name, value in settings.items()]
        main = "org.apache.hadoop.hive.metastore.HiveMetaStore"
        java = str(self._java / "bin" / "java")
        return [java, *options, "-cp", f"{jars}/*", main, "-p", str(self.port)]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "HADOOP_USER_NAME": "tests"}

    def is_ready(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1):
                return True
        except OSError:
            return False
