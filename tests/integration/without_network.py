"""Runs a command where there is no network but the loopback address: `without_network.py COMMAND`.

Started by `unshare --net`, which gives a network of its own, all of it down.
"""

import fcntl
import os
import socket
import struct
import sys

# Of Linux: linux/sockios.h, linux/if.h.
SIOCSIFFLAGS = 0x8914
IFF_UP = 1
IFREQ = "16sh22x"


def raise_loopback() -> None:
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack(IFREQ, b"lo", IFF_UP))


if __name__ == "__main__":
    raise_loopback()
    os.execvp(sys.argv[1], sys.argv[1:])
