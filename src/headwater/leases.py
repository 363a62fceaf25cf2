"""Leases: one process at a time runs a thing, and another takes over once its lease has ended."""

import os
import secrets
import socket

# How often it is looked whether somebody wants a run now, or whether the lease is free.
LOOK_SECONDS = 1.0
# A lease is renewed when a third of it has passed: only one that was lost ends.
LEASE_SECONDS = 60.0
# After failures it is tried less and less often, up to this, or its usual interval if longer.
LONGEST_WAIT = 900.0


def make_holder() -> str:
    """A name for who runs things, distinct from another process of the same machine and number,
    as those of containers often are."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def wait_after(every: float, failures: int) -> float:
    """Seconds until the next run of what has failed so many times, one after another."""
    wait: float = min(every * 2 ** min(failures, 10), max(every, LONGEST_WAIT))
    return wait
