"""A Maven repository on this machine: packages made by the tests, served over HTTP."""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
_DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
)


class Repository:
    """Where it is, what it holds, and which of it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.url = ""

    def add(self, package: str, content: bytes, needs: Sequence[str] = ()) -> Path:
        """Add a package with its POM, its jar and their checksums; gives the jar."""
        group, artifact, version = package.split(":")
        place = self.folder.joinpath(*group.split("."), artifact, version)
        place.mkdir(parents=True)
        dependencies = "".join(_DEPENDENCY.format(*need.split(":")) for need in needs)
        pom = _POM.format(
            group=group, artifact=artifact, version=version, dependencies=dependencies
        )
        write_checked(place / f"{artifact}-{version}.pom", pom.encode())
        return write_checked(place / f"{artifact}-{version}.jar", content)


def write_checked(file: Path, content: bytes) -> Path:
    """Write a file and, beside it, the checksum that Maven's repositories have."""
    file.write_bytes(content)
    file.with_name(f"{file.name}.sha1").write_text(hashlib.sha1(content).hexdigest())
    return file


@contextmanager
def serve(folder: Path) -> Iterator[Repository]:
    repository = Repository(folder)

    class Handler(SimpleHTTPRequestHandler):
        def log_request(self, code: Any = "-", size: Any = "-") -> None:
            repository.asked.append(self.path)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        repository.url = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield repository
        server.shutdown()
        thread.join()
