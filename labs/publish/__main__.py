"""The lab: publish an account's lineage to catalogs, change one thing, and read them back."""

import sys

from labs.publish.stage import open_stage
from labs.publish.steps import STEPS
from labs.running import run_lab, wait_for_interrupt


def _play(port: int | None, keeps: bool) -> None:
    print("Starting an account of Confluent Cloud, four catalogs and Headwater ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.url}", flush=True)
        for number, (title, play) in enumerate(STEPS, 1):
            print(f"\n{number}. {title}", flush=True)
            play(stage)
        if keeps:
            wait_for_interrupt(stage.url)


if __name__ == "__main__":
    sys.exit(run_lab("labs.publish", __doc__, _play))
