"""The scene as a program: python -m headwater.demo.live FOLDER URL

Each step is reported in a line. It ends when its input does, so that it never outlives whoever
started it; until then Spark stays, as the last of what it says may still be on its way.
"""

import os
import signal
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from headwater.demo.live.place import FAILED, PLAYED, Place
from headwater.demo.live.scene import play
from headwater.errors import HeadwaterError

_INTERRUPTED = 130
# How long it may take to end in order.
_END_SECONDS = 30.0


def main(folder: str, url: str) -> int:
    # Where the demo was started in the background SIGINT is ignored, but this is our own.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    is_played = False
    try:
        threading.Thread(target=_end_with_input, daemon=True).start()
        with ExitStack() as stack:
            play(stack, Place(Path(folder).absolute()), url, _tell)
            is_played = True
            _tell(PLAYED)
            signal.pause()
    except HeadwaterError as error:
        _tell(f"{FAILED}{error.message}")
        return 1
    except KeyboardInterrupt:
        pass
    return 0 if is_played else _INTERRUPTED


def _tell(step: str) -> None:
    print(step, flush=True)


def _end_with_input() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGINT)
    # An interrupt that comes while an object is being finalised is lost, and Spark's JVM goes on.
    time.sleep(_END_SECONDS)
    if os.getsid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
