"""Ctrl-C for tests that press it, however the suite was started."""

import signal

# Put before a command, it is started as in the background.
IGNORING = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]


def hear_ctrl_c() -> None:
    """Undo an ignored SIGINT, for this process and for all it starts.

    What is started in the background (by CI, `nohup`, `&` in a script) ignores SIGINT, and hands
    that on to its children: no Ctrl-C would ever reach what a test interrupts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
