"""What the lab plays on: a broker, a Flink cluster with its listener, a server, a folder."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from labs.flink.graph import Graph
from labs.graph import NAMESPACE
from labs.stage import LabStage, run_to_end, start_collecting
from testing.services.flink import LISTENER, Flink
from testing.services.kafka import Kafka
from testing.services.process import free_port

HERE = Path(__file__).parent
TOPICS = ("orders", "supplier-stats")
_SETTINGS = """
[collect.flink]
every = "1s"
url = "{flink}"
sql = ["{folder}/sql"]
state = "{folder}/collect"
"""


@dataclass
class Stage(LabStage):
    """All that runs; the graph is how it is looked at."""

    kafka: Kafka
    flink: Flink
    graph: Graph
    folder: Path
    orders: int = 0
    """How many there are in the topic."""

    def write_orders(self, seconds: int) -> None:
        """Write ten orders for each of some seconds of their own time."""
        written = []
        for _ in range(seconds * 10):
            second, number = divmod(self.orders, 10)
            at = f"2026-01-01 00:{second // 60:02d}:{second % 60:02d}.{number}00"
            order = {
                "order_id": f"order-{self.orders:06d}",
                "item": ("chair", "desk", "lamp")[number % 3],
                "price": f"{5 + number}.25",
                "supplier": ("acme", "globex")[number % 2],
                "bid_time": at,
            }
            written.append(json.dumps(order).encode())
            self.orders += 1
        self.kafka.produce("orders", written)

    def submit(self, name: str, settings: dict[str, str] | None = None) -> str:
        """Run a job's script by the gateway; gives the job's id."""
        (job,) = self.flink.run_sql(self.script(name).read_text(), settings)
        return job

    def script(self, name: str) -> Path:
        return self.folder / "sql" / f"{name}.sql"

    def run_batch(self) -> None:
        """Run the batch job to its end."""
        options = ["--server", self.graph.url, "--folder", str(self.folder)]
        run_to_end("labs.spark.supplier_stats", options)


@contextmanager
def open_stage(port: int | None) -> Iterator[Stage]:
    """Start everything; all of it ends with the block, and its folders go."""
    port = free_port() if port is None else port
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headwater-lab-")))
        kafka = stack.enter_context(Kafka.start())
        for topic in TOPICS:
            kafka.create_topic(topic)
        _write_scripts(folder, kafka.bootstrap)
        listener = {
            "execution.job-status-changed-listeners": LISTENER,
            "openlineage.flink.enableDetachedJobTracking": "true",
            "openlineage.job.namespace": NAMESPACE,
            "openlineage.transport.type": "http",
            "openlineage.transport.url": f"http://127.0.0.1:{port}",
        }
        flink = stack.enter_context(Flink.start(listener))
        settings = _SETTINGS.format(flink=flink.url, folder=folder)
        server = start_collecting(stack, folder, settings, port)
        yield Stage(kafka, flink, Graph(server.url), folder)


def _write_scripts(folder: Path, bootstrap: str) -> None:
    """The lab's files with the places of this run."""
    (folder / "sql").mkdir()
    for file in (*HERE.glob("*.sql"), HERE / "jobs.yaml"):
        text = file.read_text().replace("BOOTSTRAP", bootstrap)
        text = text.replace("WAREHOUSE", (folder / "lake").as_uri())
        (folder / ("sql" if file.suffix == ".sql" else ".") / file.name).write_text(text)
