"""The lab: publish an account's lineage to catalogs, change one thing, and read them back."""

import sys

from labs.publish.stage import open_stage
from labs.publish.steps import STEPS
from labs.running import play_steps, run_lab


def _play(port: int | None, keeps: bool) -> None:
    print("Starting an account of Confluent Cloud, four catalogs and Headwater ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.url}", flush=True)
        play_steps(stage, STEPS, stage.url, keeps)


if __name__ == "__main__":
    sys.exit(run_lab("labs.publish", __doc__, _play))
