"""The lab: orders in Kafka go by Flink into another topic and into Iceberg, and on by Spark."""

import sys

from labs.flink.stage import open_stage
from labs.flink.steps import STEPS
from labs.running import run_lab, wait_for_interrupt


def _play(port: int | None, keeps: bool) -> None:
    print("Starting a broker, Flink with its SQL gateway, and a server ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.graph.url}", flush=True)
        for number, (title, play) in enumerate(STEPS, 1):
            print(f"\n{number}. {title}", flush=True)
            play(stage)
        if keeps:
            wait_for_interrupt(stage.graph.url)


if __name__ == "__main__":
    sys.exit(run_lab("labs.flink", __doc__, _play))
