"""Answers that several ask for at once are worked out once, and kept while nothing changes."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future

# Answers kept; those of one page of the web UI that many have open.
MOST_KEPT = 16


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
                while len(self._answers) > MOST_KEPT:
                    del self._answers[next(iter(self._answers))]
        if is_first:
            try:
                answer.set_result(work_out())
            except BaseException as error:
                with self._lock:
                    self._answers.pop(key, None)
                answer.set_exception(error)
        return answer.result()
