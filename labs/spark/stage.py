"""What the lab plays on: a broker, a server, a folder, the program with the streams."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import AdminClient

from labs.checks import Found
from labs.programs import Program
from labs.spark.graph import Graph
from labs.stage import LabStage, run_to_end
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka


@dataclass
class Stage(LabStage):
    """All that runs; the graph is how it is looked at."""

    kafka: Kafka
    graph: Graph
    streams: Program
    folder: Path
    options: list[str]

    def wait(self, what: str, ask: Callable[[], Found | None]) -> Found:
        """Wait for something in the graph, for as long as the streams' program is there."""

        def asked() -> Found | None:
            self.streams.check()
            return ask()

        return super().wait(what, asked)

    def list_groups(self) -> set[str]:
        """The consumer groups that have members now, as the broker itself lists them."""
        client = AdminClient({"bootstrap.servers": self.kafka.bootstrap})
        answer = client.list_consumer_groups().result()
        return {each.group_id for each in answer.valid if each.state.name == "STABLE"}

    def run_batch(self) -> None:
        """Run the batch job to its end."""
        run_to_end("labs.spark.supplier_stats", self.options)


@contextmanager
def open_stage(port: int | None) -> Iterator[Stage]:
    """Start everything; all of it ends with the block, and its folders go."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headwater-lab-")))
        server = stack.enter_context(Headwater.start(port=port))
        kafka = stack.enter_context(Kafka.start())
        kafka.create_topic("orders", partitions=2)
        kafka.create_topic("supplier-stats")
        options = ["--server", server.url, "--folder", str(folder)]
        with_brokers = [*options, "--brokers", kafka.bootstrap]
        streams = stack.enter_context(Program.start("labs.spark.streams", with_brokers))
        yield Stage(kafka, Graph(server.url), streams, folder, options)
