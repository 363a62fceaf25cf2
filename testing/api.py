"""A server in this process, behind a real socket, and requests to it."""

import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx2
import msgspec
import uvicorn
from sqlalchemy import Engine, select

from headwater.collect.plans import CollectorPlan
from headwater.config import LakeSettings, Settings, SqlSettings
from headwater.model.column_map import ColumnMap, read_column_map
from headwater.publish.plans import PublisherPlan
from headwater.server.app import Application
from headwater.server.bridge.extraction import Extract
from headwater.server.http.keyring import REFRESH_SECONDS
from headwater.server.http.protocol import BoundedProtocol
from headwater.store import tables
from headwater.store.engine import open_engine
from headwater.store.write.packing import unpack
from testing.stores import empty_tables, prepare_sqlite

JSON = "application/json"


def no_lake(store: str, **sections: Any) -> Settings:
    """Settings of a server that keeps all it has in its store, and no files beside the tests."""
    # Columns are derived from SQL in the background, at any time: tests of that do it themselves.
    sections = {"sql": SqlSettings(infer_columns=False), **sections}
    return Settings(store=store, lake=LakeSettings(is_on=False), **sections)


@contextmanager
def serve(
    settings: Settings,
    key_refresh_seconds: float = REFRESH_SECONDS,
    collectors: Sequence[CollectorPlan] = (),
    extract: Extract | None = None,
    publishers: Sequence[PublisherPlan] = (),
) -> Iterator[str]:
    """Run the application as `headwater serve` does, in a thread; gives its URL."""
    if settings.store is not None:
        prepare_sqlite(settings.store)
    config = uvicorn.Config(
        Application(settings, key_refresh_seconds, collectors, extract, publishers),
        loop="uvloop",
        http=BoundedProtocol,
        log_config=None,
        access_log=False,
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), name="server")
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server did not start"
                time.sleep(0.005)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class Api:
    """Requests to a server, and a look into its store."""

    def __init__(self, url: str, client: httpx2.Client, engine: Engine) -> None:
        self.url = url
        self.client = client
        self.engine = engine

    def post(
        self,
        body: bytes | object,
        path: str = "/api/v1/lineage",
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """Post bytes as they are, or a value as JSON."""
        content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        fields = {"Content-Type": JSON, **(headers or {})}
        return self.client.post(path, content=content, headers=fields)

    def store(self, *events: bytes | object) -> None:
        """Post events that must be taken in."""
        for event in events:
            answer = self.post(event)
            assert answer.status_code == 201, answer.text

    def get(self, path: str, **parameters: Any) -> httpx2.Response:
        return self.client.get(f"/api/v1{path}", params=parameters)

    def read(self, path: str, **parameters: Any) -> Any:
        """Get what must be there."""
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def job(self, namespace: str, name: str) -> Any:
        return self.read(f"/namespaces/{escape(namespace)}/jobs/{escape(name)}")

    def dataset(self, namespace: str, name: str) -> Any:
        return self.read(f"/namespaces/{escape(namespace)}/datasets/{escape(name)}")

    def run(self, run_id: str) -> Any:
        return self.read(f"/jobs/runs/{escape(run_id)}")

    def event_count(self) -> int:
        return int(self.read("/events/lineage", limit=0)["totalCount"])

    def rejected(self) -> list[Any]:
        found = self.read("/events/rejected", limit=1000)
        assert found["totalCount"] == len(found["rejected"])
        return list(found["rejected"])

    def rows(self, relation: str) -> list[Any]:
        """The rows of a relation, as the store has them."""
        with self.engine.connect() as connection:
            return list(connection.execute(select(tables.TABLES[relation])))

    def column_maps(self) -> list[ColumnMap]:
        """The column maps that runs have stated."""
        stated = {row.columns for row in self.rows("run_dataset")}
        return [
            read_column_map(unpack(row.body))
            for row in self.rows("content")
            if row.digest in stated
        ]

    def empty(self) -> None:
        """Remove everything, as a prune would: writers forget what they knew to be stored."""
        index = (tables.search_word, tables.search_part)
        lists = (tables.task, tables.event_set, tables.event_set_member)
        empty_tables(self.engine, (*tables.TABLES.values(), *index, *lists))


def escape(name: str) -> str:
    """A name as a client puts it into a path."""
    return quote(name, safe="")


def error_of(answer: httpx2.Response, status: int, path: str | None = None) -> dict[str, Any]:
    """Check that an answer is the one error shape, and give it."""
    assert answer.status_code == status, f"{answer.status_code}: {answer.text[:1000]}"
    assert answer.headers["content-type"] == JSON
    error = answer.json()
    assert isinstance(error, dict)
    assert set(error) in ({"code", "message"}, {"code", "message", "path", "reason"})
    assert error["code"] == status
    assert error["message"]
    if path is not None:
        assert error["path"] == path, error
        assert error["reason"]
    return error


@contextmanager
def open_api(
    store: str,
    collectors: Sequence[CollectorPlan] = (),
    extract: Extract | None = None,
    **sections: Any,
) -> Iterator[Api]:
    """Run a server over a store, with settings of sections, and speak with it."""
    engine = open_engine(store)
    try:
        with (
            serve(no_lake(store, **sections), collectors=collectors, extract=extract) as url,
            httpx2.Client(base_url=url, trust_env=False, timeout=60) as client,
        ):
            yield Api(url, client, engine)
    finally:
        engine.dispose()
