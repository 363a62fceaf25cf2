"""The lab: orders in Kafka go by Flink into another topic and into Iceberg, and on by Spark."""

import sys

from labs.flink.stage import open_stage
from labs.flink.steps import STEPS
from labs.running import play_steps, run_lab


def _play(port: int | None, keeps: bool) -> None:
    print("Starting a broker, Flink with its SQL gateway, and a server ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.graph.url}", flush=True)
        play_steps(stage, STEPS, stage.graph.url, keeps)


if __name__ == "__main__":
    sys.exit(run_lab("labs.flink", __doc__, _play))
