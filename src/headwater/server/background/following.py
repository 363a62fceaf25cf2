"""Keeping what is judged and counted over the whole store up to date, beside requests."""

from datetime import timedelta
from time import monotonic

from headwater.answers.following import Following
from headwater.server.background.periodic import Background

_EVERY = timedelta(seconds=10)
_FIRST_AFTER = timedelta(milliseconds=50)
# Of the time at most this part: a pass that takes longer comes less often.
_SHARE = 0.05


class Follow(Background):
    """Takes in every few seconds what came."""

    name = "following the store"

    def __init__(self, following: Following) -> None:
        super().__init__(_EVERY, _FIRST_AFTER)
        self._following = following

    def work(self) -> None:
        started = monotonic()
        self._following.refresh(self.check_stopping)
        self.every = max(_EVERY, timedelta(seconds=(monotonic() - started) / _SHARE))
