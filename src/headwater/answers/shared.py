"""Answers that several ask for at once are worked out once, and kept while nothing changes.

Who waits for another's answer has limits of its own: its time may end sooner, and the other may
fail for a reason that is its alone, such as a shorter time. Then it works the answer out itself.
"""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait

# Answers kept, and bytes of them; those of one page of the web UI that many have open.
MOST_KEPT = 16
MOST_BYTES = 4_000_000
# So often who waits for another sees whether its own time is over.
_LOOK_SECONDS = 0.05


class SharedAnswers:
    """Answers by key. A key names all that goes into an answer: none can be out of date."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, Future[bytes | None]] = {}
        self._lock = threading.Lock()

    def get(
        self,
        key: Hashable,
        work_out: Callable[[], bytes],
        is_over: Callable[[], bool] = lambda: False,
    ) -> bytes:
        """The answer that is kept or being worked out by another; else work it out.

        Once `is_over`, working out fails as it does for all whose time has ended.
        """
        with self._lock:
            answer = self._answers.get(key)
            is_first = answer is None
            if answer is None:
                answer = self._answers[key] = Future()
        if not is_first:
            found = _wait_for(answer, is_over)
            return work_out() if found is None else found
        try:
            found = work_out()
        except BaseException:
            with self._lock:
                self._answers.pop(key, None)
            # Not the error itself: it holds this frame, which holds the answer.
            answer.set_result(None)
            raise
        answer.set_result(found)
        self._drop_oldest()
        return found

    def _drop_oldest(self) -> None:
        """Keep what there is room for: one answer may have megabytes."""
        with self._lock:
            sizes = {
                key: len(each.result() or b"") for key, each in self._answers.items() if each.done()
            }
            size = sum(sizes.values())
            for number, (key, its_size) in enumerate(sizes.items()):
                if len(sizes) - number <= MOST_KEPT and size <= MOST_BYTES:
                    return
                size -= its_size
                del self._answers[key]


def _wait_for(answer: Future[bytes | None], is_over: Callable[[], bool]) -> bytes | None:
    """The answer of another; None if it failed, or comes too late."""
    while not wait((answer,), _LOOK_SECONDS).done:
        if is_over():
            return None
    return answer.result()
