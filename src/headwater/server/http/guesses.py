"""Wrong keys, counted by the address they come from: who tries one after the other is slowed down.

An address may be that of a proxy, with many behind it: a key that was right from there before goes
on working, whatever else comes from there. The same wrong key again is no further guess, but a
sender that does not know its new one.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from headwater.errors import TooManyGuesses
from headwater.server.http.body import Scope

# So many different wrong keys at once, then one in so many seconds.
MAX_GUESSES = 20
SECONDS_A_GUESS = 3.0

# The oldest go first: an attacker with that many addresses is not held up by counting them.
_MAX_ADDRESSES = 10_000
_MAX_RIGHT = 10_000


class _Guesser:
    """What an address has tried: guesses left, as of a time, and its last wrong key."""

    __slots__ = ("at", "last", "left")

    def __init__(self, now: float) -> None:
        self.left = float(MAX_GUESSES)
        self.at = now
        self.last = b""


class Guesses:
    """The addresses that showed wrong keys, and the keys that were right by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guessers: OrderedDict[str, _Guesser] = OrderedDict()
        self._right: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def check(self, scope: Scope, digest: bytes) -> None:
        """Refuse to look for a key of an address that has none of its guesses left."""
        if not self._guessers:
            return
        address = _address_of(scope)
        guesser = self._guessers.get(address)
        if guesser is None or digest == guesser.last or (address, digest) in self._right:
            return
        now = self._clock()
        guesser.left = min(MAX_GUESSES, guesser.left + (now - guesser.at) / SECONDS_A_GUESS)
        guesser.at = now
        if guesser.left < 1:
            raise TooManyGuesses(math.ceil((1 - guesser.left) * SECONDS_A_GUESS))

    def note_wrong(self, scope: Scope, digest: bytes) -> None:
        address = _address_of(scope)
        guesser = self._guessers.get(address)
        if guesser is None:
            guesser = self._guessers[address] = _Guesser(self._clock())
            if len(self._guessers) > _MAX_ADDRESSES:
                self._guessers.popitem(last=False)
        if digest != guesser.last:
            guesser.left -= 1
            guesser.last = digest

    def note_right(self, scope: Scope, digest: bytes) -> None:
        pair = (_address_of(scope), digest)
        if pair not in self._right:
            self._right[pair] = None
            if len(self._right) > _MAX_RIGHT:
                self._right.popitem(last=False)


def _address_of(scope: Scope) -> str:
    client = scope.get("client")
    address = str(client[0]) if client else ""
    if ":" not in address:
        return address
    try:
        # Who has one address of IPv6 has the 2^64 beside it.
        whole = IPv6Address(ip_address(address.partition("%")[0]))
    except ValueError:
        return address
    return whole.exploded[:19]
