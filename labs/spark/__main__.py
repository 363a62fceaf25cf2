"""The lab: a broker, a server, Spark's streams and a batch job, in one graph while they run."""

import argparse
import signal
import sys
import time

import psutil
from confluent_kafka import KafkaException

from headwater.errors import HeadwaterError
from labs.checks import LabFailed
from labs.spark.stage import Stage, open_stage
from labs.spark.steps import STEPS
from testing.services.process import StartFailed

_INTERRUPTED = 130
_FAILURES = (LabFailed, StartFailed, HeadwaterError, KafkaException, TimeoutError)


def main() -> int:
    """Return 0 if all was as expected."""
    options = _parse()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    began = time.monotonic()
    try:
        _play(options.port, options.keep)
    except KeyboardInterrupt:
        print("\nstopped", flush=True)
        status = _INTERRUPTED
    except _FAILURES as error:
        print(f"lab: {error}", file=sys.stderr, flush=True)
        status = 1
    else:
        print(f"\nDone in {time.monotonic() - began:.0f} s.")
        status = 0
    return status if _has_nothing_left() else 1


def _interrupt(*_: object) -> None:
    """End in order; a second Ctrl-C would leave behind what the first has not ended yet."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m labs.spark", description=__doc__)
    parser.add_argument("--port", type=int, help="of the server; any free one without it")
    parser.add_argument(
        "--keep", action="store_true", help="leave the server running at the end, until Ctrl-C"
    )
    return parser.parse_args()


def _play(port: int | None, keeps: bool) -> None:
    print("Starting a broker, a server and Spark ...", flush=True)
    with open_stage(port) as stage:
        print(f"Headwater listens on {stage.graph.url}", flush=True)
        for number, (title, play) in enumerate(STEPS, 1):
            print(f"\n{number}. {title}", flush=True)
            play(stage)
        if keeps:
            _wait_for_interrupt(stage)


def _has_nothing_left() -> bool:
    """Tell whether every process that was started has ended."""
    left = psutil.Process().children(recursive=True)
    for process in left:
        print(f"lab: still running: {process}", file=sys.stderr)
    return not left


def _wait_for_interrupt(stage: Stage) -> None:
    print(f"\nOpen {stage.graph.url} in a browser; Ctrl-C stops the lab.", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    sys.exit(main())
