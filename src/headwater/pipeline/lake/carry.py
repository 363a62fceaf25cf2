"""Carries a store's events on into the lake, once, in a process of its own; or removes old ones.

    echo '{"store": URL, "folder": FOLDER, "parent": PID}' | python -m headwater.pipeline.lake.carry

A server starts it: what Parquet needs of memory goes with the process, and requests need not wait
for the interpreter. Settings come by standard input, for others can list arguments and the URL may
hold a password. Answers with one line: {"carried": COUNT} or {"error": TEXT}. With "expire_before",
a time, old events are removed instead: {"expired": COUNT}.
"""

import json
import os
import signal
import sys
from pathlib import Path

from headwater.errors import HeadwaterError

_PR_SET_PDEATHSIG = 1


def main() -> None:
    _die_with_parent()
    given = json.load(sys.stdin)
    if os.getppid() != given["parent"]:
        # It ended before it was tied to this one.
        return
    store, folder = given["store"], Path(given["folder"])
    try:
        answer: dict[str, object]
        if (before := given.get("expire_before")) is not None:
            answer = {"expired": expire(store, folder, before)}
        else:
            answer = {"carried": carry(store, folder)}
    except HeadwaterError as error:
        answer = {"error": error.message}
    print(json.dumps(answer), flush=True)


def carry(store: str, folder: Path) -> int:
    from headwater.pipeline.lake.lake import Lake
    from headwater.pipeline.lake.outbox import flush
    from headwater.store.engine import open_engine

    engine = open_engine(store)
    try:
        return flush(engine, Lake(folder))
    finally:
        engine.dispose()


def expire(store: str, folder: Path, before: int) -> int:
    from headwater.pipeline.lake.expire import expire as expire_lake
    from headwater.pipeline.lake.lake import Lake
    from headwater.store.engine import open_engine

    engine = open_engine(store)
    try:
        return expire_lake(engine, Lake(folder), before).events
    finally:
        engine.dispose()


def _die_with_parent() -> None:
    """End when the server is killed, where the system can tell; elsewhere it just finishes."""
    if sys.platform == "linux":
        from ctypes import CDLL

        CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
