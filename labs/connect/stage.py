"""What the lab plays on: a broker, a registry, a Connect worker, a database, S3, a server."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from labs.checks import Found, LabFailed
from labs.connect.connectors import BROKER, Config, Place
from labs.connect.graph import Graph
from labs.graph import NAMESPACE
from labs.stage import LabStage, run_to_end, start_collecting
from testing.services.connect import Connect
from testing.services.connect_apicurio import Apicurio
from testing.services.kafka import Kafka
from testing.services.moto import Moto
from testing.services.postgresql import LogicalPostgreSQL
from testing.services.process import free_port

GROUP = "connect"
BUCKETS = ("fh-dev-bucket", "warehouse")
# The control topic is that of Iceberg's sinks.
TOPICS = ("orders", "bids", "control-iceberg")
_PLUGINS = ("connect-avro", "connect-debezium", "connect-iceberg+connect-iceberg-aws", "connect-s3")
# Sections of headwater.toml: the same cluster and its registry, from outside.
_SETTINGS = """
[collect.connect]
every = "5s"
url = "{worker}"
group = "{group}"
bootstrap = "{broker}"
namespace = "{namespace}"
state = "{folder}/collect"

[collect.registry]
type = "schema-registry"
every = "5s"
url = "{registry}"
bootstrap = "{broker}"
state = "{folder}/collect"
"""


@dataclass
class Stage(LabStage):
    """All that runs; the graph is how it is looked at."""

    kafka: Kafka
    worker: Connect
    database: LogicalPostgreSQL
    s3: Moto
    graph: Graph
    place: Place
    failing: set[str] = field(default_factory=set)
    """Jobs that may fail: the lab ends with the first other that does."""

    def make_tables(self) -> str:
        """Run the PySpark program that makes the Iceberg tables; gives what it printed."""
        options = ["--catalog", self.place.catalog, "--s3", self.place.s3]
        return run_to_end("labs.connect.tables", options)

    def deploy(self, name: str, config: Config) -> None:
        """Create a connector, or give it another configuration, and wait until it is reported."""
        before = self.graph.newest_run(name)
        self.worker.create(name, config)
        self.wait(f"{name} has a new run", lambda: self.graph.newest_run(name) != before)
        self.wait_for_state("RUNNING", name)

    def execute(self, statements: str) -> None:
        with psycopg.connect(self.database.url("shop"), autocommit=True) as connection:
            connection.execute(statements.encode())

    def wait(self, what: str, ask: Callable[[], Found | None]) -> Found:
        """Wait for something, for as long as no connector has failed that should not."""

        def asked() -> Found | None:
            failed = [job for job in self.graph.failed() if job["name"] not in self.failing]
            if failed:
                raise LabFailed(f"{failed[0]['name']}: {failed[0]['reason']}")
            return ask()

        return super().wait(what, asked)


@contextmanager
def open_stage(port: int | None) -> Iterator[Stage]:
    """Start everything; all of it ends with the block, and its folders go."""
    port = free_port() if port is None else port
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headwater-lab-")))
        s3 = stack.enter_context(Moto.start())
        for bucket in BUCKETS:
            s3.create_bucket(bucket)
        database = stack.enter_context(LogicalPostgreSQL.start())
        kafka = stack.enter_context(Kafka.start())
        for topic in TOPICS:
            kafka.create_topic(topic)
        registry = stack.enter_context(Apicurio.start())
        # As the guide has it: the transform finds all that it needs in the environment.
        env = {
            "OPENLINEAGE_URL": f"http://127.0.0.1:{port}",
            "OPENLINEAGE_NAMESPACE": NAMESPACE,
            "KAFKA_BOOTSTRAP": BROKER,
        }
        heartbeat = {"headwater.heartbeat.seconds": "2"}
        worker = stack.enter_context(
            Connect.start(kafka, GROUP, heartbeat, env, _PLUGINS, is_long_lived=True)
        )
        compatible = f"http://127.0.0.1:{registry.port}/apis/ccompat/v7"
        settings = _SETTINGS.format(
            worker=worker.url,
            group=GROUP,
            broker=BROKER,
            namespace=NAMESPACE,
            registry=compatible,
            folder=folder,
        )
        server = start_collecting(stack, folder, settings, port)
        place = Place(registry.url, compatible, s3.url, f"jdbc:sqlite:{folder}/catalog.db")
        yield Stage(kafka, worker, database, s3, Graph(server.url), place)
