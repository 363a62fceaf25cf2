"""The lab: connectors of a guide write through Kafka to S3 and Iceberg, in one graph."""

import sys

from labs.connect.stage import open_stage
from labs.connect.steps import STEPS
from labs.running import run_lab, wait_for_interrupt


def _play(port: int | None, keeps: bool) -> None:
    print("Starting S3, PostgreSQL, Kafka, a registry, Connect and Headwater ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.graph.url}", flush=True)
        for number, (title, play) in enumerate(STEPS, 1):
            print(f"\n{number}. {title}", flush=True)
            play(stage)
        if keeps:
            wait_for_interrupt(stage.graph.url)


if __name__ == "__main__":
    sys.exit(run_lab("labs.connect", __doc__, _play))
