"""The lab: extract an account of Confluent Cloud, ask for its lineage, and export it."""

import sys

from labs.bridge.stage import open_stage
from labs.bridge.steps import STEPS
from labs.running import play_steps, run_lab

# As LineageBridge's examples have it.
_PORT = 8_000


def _play(port: int | None, keeps: bool) -> None:
    print("Starting an account of Confluent Cloud and Headwater ...", flush=True)
    with open_stage(_PORT if port is None else port) as stage:
        print(f"Headwater listens on {stage.url}, the account on {stage.cloud.url}", flush=True)
        play_steps(stage, STEPS, stage.url, keeps)


if __name__ == "__main__":
    sys.exit(run_lab("labs.bridge", __doc__, _play))
