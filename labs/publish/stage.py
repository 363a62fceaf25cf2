"""What the lab plays on: an account of Confluent Cloud, four catalogs, and a server for them."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import httpx2

from headwater.demo.confluent.cloud import serve_cloud
from headwater.demo.confluent.connection import connection_settings
from headwater.demo.confluent.example import WORKSPACE, build_example
from labs.bridge.stage import BridgeStage
from labs.checks import LabFailed
from testing.services.headwater import Headwater
from testing.services.moto import Moto
from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.datazone import DataZoneStandIn
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.recording import serve_written

Json = dict[str, Any]

REGION, DOMAIN = "us-east-1", "dzd_lab"
_TOKEN, _ACCESS_KEY = "token-of-the-lab", "AKIALAB"
_AWS = {"AWS_ACCESS_KEY_ID": _ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": "secret-of-the-lab"}
_HOST = WORKSPACE.removeprefix("https://")
UNITY_TABLES = tuple(
    f"lb_uc_75083e95.lkc-mjnq51.lineage_bridge_{name}" for name in ("orders_v2", "enriched_orders")
)
GLUE_DATABASE, GLUE_TABLE = "lineage_bridge", "enriched_orders"


@dataclass(kw_only=True)
class PublishStage(BridgeStage):
    """A server with its account, and the catalogs that it publishes to and reads."""

    databricks: DatabricksStandIn
    google: GoogleLineageStandIn
    datazone: DataZoneStandIn
    glue: Any
    store: str
    environment: Mapping[str, str]

    def count_writes(self) -> dict[str, int]:
        """What each catalog was sent so far; Glue counts the versions of its table."""
        versions = self.glue.get_table_versions(DatabaseName=GLUE_DATABASE, TableName=GLUE_TABLE)
        return {
            "databricks_uc": len(self.databricks.writes),
            "aws_glue": len(versions["TableVersions"]),
            "google": len(self.google.writes),
            "datazone": len(self.datazone.writes),
        }

    def dry_run(self) -> list[str]:
        """What `headwater publish unity-catalog --dry-run` prints."""
        program = Path(sys.executable).with_name("headwater")
        given = _unity(self.databricks, self.folder / "token")
        options = ["--url", given["url"], "--token", given["token"], "--store", self.store]
        # As the server's section calls the target: it has what was published before.
        options += ["--name", "unity-catalog"]
        options += [part for each in given["namespace"] for part in ("--namespace", each)]
        done = subprocess.run(
            [str(program), "publish", "unity-catalog", *options, "--dry-run"],
            capture_output=True,
            text=True,
            timeout=300,
            env={**self.environment},
        )
        if done.returncode:
            raise LabFailed(f"the dry run ended with {done.returncode}: {done.stderr[:300]}")
        return done.stdout.splitlines()


@contextmanager
def open_stage(port: int | None) -> Iterator[PublishStage]:
    """Start everything; all of it ends with the block, and its folder goes."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="headwater-lab-")))
        (folder / "token").write_text(_TOKEN)
        cloud = running.enter_context(serve_cloud(build_example()))
        databricks = running.enter_context(serve_written(DatabricksStandIn(_TOKEN)))
        google = running.enter_context(serve_written(GoogleLineageStandIn(_TOKEN)))
        datazone = running.enter_context(serve_written(DataZoneStandIn(DOMAIN, _ACCESS_KEY)))
        moto = running.enter_context(Moto.start())
        glue = _open_glue(moto)
        for name in UNITY_TABLES:
            databricks.add_table(name, columns={"order_id": "string"})
        token = folder / "token"
        sections = {
            "collect.confluent": connection_settings(cloud, folder / "keys"),
            "collect.unity-catalog": {
                "url": databricks.url, "workspace": WORKSPACE, "token": f"file:{token}"
            },
            "publish.unity-catalog": _unity(databricks, token),
            "publish.glue": {"region": REGION, "endpoint_url": moto.url},
            "publish.google-lineage": {
                "project": "acme", "url": google.url, "token": f"file:{token}"
            },
            "publish.datazone": {
                "region": REGION, "domain": DOMAIN, "endpoint_url": datazone.url
            },
        }  # fmt: skip
        settings = folder / "headwater.toml"
        settings.write_text("\n".join(map(_section, sections.items())))
        environment = {"HEADWATER_CONFIG": str(settings), **_AWS}
        server = running.enter_context(Headwater.start(env=environment, port=port))
        client = running.enter_context(
            httpx2.Client(base_url=f"{server.url}/api/v1", trust_env=False, timeout=120)
        )
        yield PublishStage(
            cloud, server.url, folder, client, databricks=databricks, google=google,
            datazone=datazone, glue=glue, store=server.store, environment=server.environment(),
        )  # fmt: skip


def _open_glue(moto: Moto) -> Any:
    """Glue with the table that a crawler has made."""
    keys = {key.lower(): value for key, value in _AWS.items()}
    glue = boto3.client("glue", region_name=REGION, endpoint_url=moto.url, **keys)
    glue.create_database(DatabaseInput={"Name": GLUE_DATABASE})
    glue.create_table(DatabaseName=GLUE_DATABASE, TableInput={"Name": GLUE_TABLE})
    return glue


def _unity(databricks: DatabricksStandIn, token: Path) -> Json:
    namespaces = [f"databricks://{WORKSPACE}", f"databricks://{_HOST}", f"unitycatalog://{_HOST}"]
    return {"url": databricks.url, "token": f"file:{token}", "namespace": namespaces}


def _section(named: tuple[str, Mapping[str, Any]]) -> str:
    """A section of headwater.toml; lists and texts are written alike in TOML and JSON."""
    name, values = named
    plain = {
        key: list(value) if isinstance(value, (tuple, list)) else str(value)
        for key, value in values.items()
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    return "\n".join([f"[{name}]", *lines, ""])
