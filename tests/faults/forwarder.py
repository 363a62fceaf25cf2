"""An address that can be pointed elsewhere: what a virtual address or a name of a database is."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self


class Forwarder:
    """Passes connections on to a port of this machine; `point_to` breaks those that are open."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._accept)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Wakes the thread that accepts, which closing alone would not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        self._break()

    def point_to(self, port: int) -> None:
        with self._lock:
            self._target = port
        self._break()

    def _break(self) -> None:
        with self._lock:
            broken, self._open = self._open, set()
        for end in broken:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                with self._lock:
                    far = socket.create_connection(("127.0.0.1", self._target))
                    self._open |= {near, far}
            except OSError:
                near.close()
                continue
            threading.Thread(target=self._serve, args=(near, far)).start()

    def _serve(self, near: socket.socket, far: socket.socket) -> None:
        back = threading.Thread(target=_pass_on, args=(far, near))
        back.start()
        _pass_on(near, far)
        back.join()
        with self._lock:
            self._open -= {near, far}
        near.close()
        far.close()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
