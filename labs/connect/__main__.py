"""The lab: connectors of a guide write through Kafka to S3 and Iceberg, in one graph."""

import sys

from labs.connect.stage import open_stage
from labs.connect.steps import STEPS
from labs.running import play_steps, run_lab


def _play(port: int | None, keeps: bool) -> None:
    print("Starting S3, PostgreSQL, Kafka, a registry, Connect and Headwater ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.graph.url}", flush=True)
        play_steps(stage, STEPS, stage.graph.url, keeps)


if __name__ == "__main__":
    sys.exit(run_lab("labs.connect", __doc__, _play))
