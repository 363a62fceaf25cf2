"""Answers that several ask for at once are worked out once, and kept while nothing changes."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future

# Answers kept, and bytes of them; those of one page of the web UI that many have open.
MOST_KEPT = 16
MOST_BYTES = 4_000_000


class SharedAnswers:
    """Answers by key. A key names all that goes into an answer: none can be out of date."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, Future[bytes]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, work_out: Callable[[], bytes]) -> bytes:
        """The answer that is kept or being worked out by another; else work it out."""
        with self._lock:
            answer = self._answers.get(key)
            is_first = answer is None
            if answer is None:
                answer = self._answers[key] = Future()
        if is_first:
            try:
                answer.set_result(work_out())
            except BaseException as error:
                with self._lock:
                    self._answers.pop(key, None)
                answer.set_exception(error)
            self._drop_oldest()
        return answer.result()

    def _drop_oldest(self) -> None:
        """Keep what there is room for: one answer may have megabytes."""
        with self._lock:
            done = {key: each for key, each in self._answers.items() if each.done()}
            size = sum(len(each.result()) for each in done.values())
            for key, answer in list(done.items()):
                if len(done) <= MOST_KEPT and size <= MOST_BYTES:
                    return
                size -= len(answer.result())
                del done[key], self._answers[key]
