"""The lab: a broker, a server, Spark's streams and a batch job, in one graph while they run."""

import sys

from labs.running import play_steps, run_lab
from labs.spark.stage import open_stage
from labs.spark.steps import STEPS


def _play(port: int | None, keeps: bool) -> None:
    print("Starting a broker, a server and Spark ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.graph.url}", flush=True)
        play_steps(stage, STEPS, stage.graph.url, keeps)


if __name__ == "__main__":
    sys.exit(run_lab("labs.spark", __doc__, _play))
