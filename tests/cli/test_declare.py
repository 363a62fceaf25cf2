"""`headwater declare` and `emit --config`: declared jobs in a server's graph, and in CI."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from testing.api import Api, open_api
from testing.commands import Outcome, Run
from testing.events.minimal import run_event

pytestmark = pytest.mark.usefixtures("no_settings")

EXAMPLES = Path(__file__).parents[2] / "docs/examples/declared-jobs"
# As the article has it that these files follow.
SEED = """\
# flink-job-config.yaml
job:
  name: order-enrichment
  lineage:
    inputs:
      - kafka://commerce.public.orders
      - kafka://commerce.public.customers
    outputs:
      - kafka://order-events-enriched
    owner: data-platform-team
    description: "Joins orders with customer data, filters cancelled orders"
"""
NODE = "job:default:order-enrichment"


@pytest.fixture(scope="module")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path_factory.mktemp('declare') / 'headwater.db'}") as api:
        yield api


@pytest.fixture
def api(shared_api: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    shared_api.empty()
    monkeypatch.setenv("HEADWATER_URL", shared_api.url)
    return shared_api


@pytest.fixture
def config() -> str:
    Path("flink-job-config.yaml").write_text(SEED)
    return "flink-job-config.yaml"


def edges(api: Api, node: str = NODE) -> dict[str, str]:
    """The datasets of a job, each by how it is known."""
    graph = api.read("/lineage", nodeId=node, depth=1)["graph"]
    found = next(each for each in graph if each["id"] == node)
    return {
        edge[side].removeprefix("dataset:"): edge.get("kind", "observed")
        for key, side in (("inEdges", "origin"), ("outEdges", "destination"))
        for edge in found[key]
    }


DECLARED = {
    "kafka:commerce.public.orders": "declared",
    "kafka:commerce.public.customers": "declared",
    "kafka:order-events-enriched": "declared",
}


def printed(outcome: Outcome) -> list[Any]:
    """The JSON values that a command has printed, one after the other."""
    found, text = [], outcome.out.strip()
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:].strip()
    return found


def test_a_design_is_in_the_graph(run: Run, api: Api, config: str) -> None:
    assert run("declare", config) == (0, "1 stored, 0 refused\n", "")
    assert edges(api) == DECLARED
    job = api.job("default", "order-enrichment")
    assert job["description"] == "Joins orders with customer data, filters cancelled orders"
    assert job["latestRun"] is None
    facet = api.rows("facet")
    assert any(each.name == "ownership" for each in facet)
    # A new declaration replaces the one before.
    Path(config).write_text(SEED.replace("      - kafka://commerce.public.customers\n", ""))
    run("declare", config)
    assert set(edges(api)) == set(DECLARED) - {"kafka:commerce.public.customers"}


def test_runs_are_reported_and_what_they_use_is_declared(run: Run, api: Api, config: str) -> None:
    ids = []
    for kind, state in (("START", "RUNNING"), ("RUNNING", "RUNNING"), ("COMPLETE", "COMPLETED")):
        assert run("emit", "--config", config, "--event-type", kind).out == "1 stored, 0 refused\n"
        latest = api.job("default", "order-enrichment")["latestRun"]
        assert latest["state"] == state
        ids.append(latest["id"])
    assert len(set(ids)) == 1
    assert not Path(f"{config}.runs").exists()
    assert edges(api) == DECLARED
    # The next START is another run.
    run("emit", "--config", config, "--event-type", "START")
    assert api.job("default", "order-enrichment")["latestRun"]["id"] not in ids
    assert run("emit", "--config", config, "--event-type", "FAIL").status == 0
    assert api.job("default", "order-enrichment")["latestRun"]["state"] == "FAILED"


def test_what_a_run_observes_is_observed_beside_it(run: Run, api: Api, config: str) -> None:
    run("emit", "--config", config, "--event-type", "START")
    topic = {"namespace": "kafka", "name": "commerce.public.orders"}
    seen = run_event("COMPLETE", job="order-enrichment", inputs=[topic])
    seen["job"]["namespace"] = "default"
    api.store(seen)
    kinds = edges(api)
    assert kinds["kafka:commerce.public.orders"] == "observed"
    assert kinds["kafka:order-events-enriched"] == "declared"


def test_a_dry_run_sends_and_keeps_nothing(run: Run, api: Api, config: str) -> None:
    options = ["--event-type", "START", "--namespace", "streaming-platform", "--dry-run"]
    (event,) = printed(run("emit", "--config", config, *options))
    assert event["eventType"] == "START"
    assert event["job"]["namespace"] == "streaming-platform"
    assert [each["name"] for each in event["inputs"]] == [
        "commerce.public.orders",
        "commerce.public.customers",
    ]
    assert {each["namespace"] for each in event["inputs"]} == {"kafka"}
    (design,) = printed(run("declare", config, "--dry-run"))
    assert "run" not in design
    assert api.event_count() == 0
    assert [path.name for path in Path().iterdir()] == [config]


def test_saved_events_are_sent_later(run: Run, api: Api, config: str) -> None:
    options = ["--event-type", "START", "--save", "lineage.ndjson"]
    saved = run("emit", "--config", config, *options)
    assert saved.out == "1 event in lineage.ndjson\n"
    assert api.event_count() == 0
    assert run("emit", "lineage.ndjson").out == "1 stored, 0 refused\n"
    assert edges(api) == DECLARED
    # The run goes on with the id that was saved.
    run("emit", "--config", config, "--event-type", "COMPLETE")
    assert api.job("default", "order-enrichment")["latestRun"]["state"] == "COMPLETED"


def test_the_example_of_many_jobs(run: Run, api: Api) -> None:
    outcome = run("declare", *map(str, sorted(EXAMPLES.glob("*.yaml"))))
    assert outcome == (0, "3 stored, 0 refused\n", "")
    dashboard = api.job("analytics", "executive-revenue")
    assert [each["name"] for each in dashboard["inputs"]] == ["shop.public.revenue"]
    assert dashboard["facets"]["jobType"]["jobType"] == "DASHBOARD"
    node = "datasetField:postgres://warehouse:5432:shop.public.revenue:customer"
    graph = api.read("/column-lineage", nodeId=node, depth=1)["graph"]
    (source,) = next(each for each in graph if each["id"] == node)["data"]["inputFields"]
    assert (source["dataset"], source["field"]) == ("order-events-enriched", "customer_email")
    assert source["transformations"][0]["masking"] is True
    topic = api.dataset("kafka", "order-events-enriched")
    tags = {each["name"]: each["tags"] for each in topic["fields"]}
    assert tags["customer_email"] == ["personal data"]


def test_code_is_where_git_says(run: Run, config: str) -> None:
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
        done = subprocess.run(
            ["git", *identity, *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-b", "main")
    git("remote", "add", "origin", "https://me:token@git.example.com/team/jobs.git")
    git("add", ".")
    git("commit", "-m", "A job")
    (event,) = printed(run("declare", config, "--dry-run"))
    code = event["job"]["facets"]["sourceCodeLocation"]
    assert {key: value for key, value in code.items() if key[0] != "_"} == {
        "type": "git",
        "url": "https://git.example.com/team/jobs.git",
        "repoUrl": "https://git.example.com/team/jobs.git",
        "path": config,
        "version": git("rev-parse", "HEAD"),
        "branch": "main",
    }


def test_what_is_wrong_is_listed_and_nothing_is_sent(run: Run, api: Api, config: str) -> None:
    Path("bad.yaml").write_text("job:\n  name: a\n  inputs: [orders]\n  zz: red\n")
    # A file that is named twice is one.
    outcome = run("declare", config, "bad.yaml", config)
    assert outcome.status == 1
    assert outcome.out == ""
    assert outcome.err.splitlines() == [
        "bad.yaml:4: the key 'zz' is not known here",
    ]
    assert api.event_count() == 0


def test_a_job_in_two_files_names_both(run: Run, api: Api, config: str) -> None:
    shutil.copy(config, "copy.yaml")
    outcome = run("declare", config, "copy.yaml")
    assert outcome.status == 1
    assert outcome.err == (
        f"copy.yaml:2: the job default order-enrichment is declared in {config}:2 already\n"
    )
    assert api.event_count() == 0


def test_files_are_checked(run: Run, config: str) -> None:
    assert run("declare", config, "--check").out == "1 job in 1 file: nothing is wrong\n"
    assert run("declare").status == 1


def test_a_check_tells_of_tables_that_are_not_declared(run: Run) -> None:
    sql = "INSERT INTO enriched SELECT o.id FROM orders o JOIN customers c ON o.id = c.id"
    job = {"name": "enrich", "inputs": ["kafka://orders"], "outputs": ["kafka://enriched"]}
    Path("job.yaml").write_text(json.dumps({"job": {**job, "sql": sql}}))
    outcome = run("declare", "job.yaml", "--check")
    assert (outcome.status, outcome.out) == (
        0,
        "1 job in 1 file can be sent; the SQL of 1 job says other than is declared, see above\n",
    )
    assert "the SQL reads customers, which is none of the declared datasets" in outcome.err
    assert run("declare", "job.yaml", "--check", "--strict").status == 1
    assert "for --check alone" in run("declare", "job.yaml", "--strict").err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--config", "flink-job-config.yaml"],
        ["--config", "flink-job-config.yaml", "--event-type", "STARTED"],
        ["--config", "flink-job-config.yaml", "events.json", "--event-type", "START"],
        ["--event-type", "START"],
        ["events.json", "--dry-run"],
        [],
    ],
)
def test_options_that_do_not_fit(run: Run, config: str, arguments: list[str]) -> None:
    assert run("emit", *arguments).status == 2


@pytest.mark.parametrize("kept", ["[]", "no json", '{"default order-enrichment": "x"}'])
def test_a_file_of_run_ids_that_is_broken(run: Run, api: Api, config: str, kept: str) -> None:
    Path(f"{config}.runs").write_text(kept)
    outcome = run("emit", "--config", config, "--event-type", "COMPLETE")
    assert outcome.status == (0 if kept.startswith("{") else 1)
    assert ("remove it" in outcome.err) is (outcome.status == 1)


def test_a_run_id_may_be_given(run: Run, api: Api, config: str) -> None:
    given = "01890000-0000-7000-8000-000000000001"
    options = ["--event-type", "RUNNING", "--run-id", given]
    assert run("emit", "--config", config, *options).status == 0
    assert api.run(given)["state"] == "RUNNING"
    assert not Path(f"{config}.runs").exists()
    outcome = run("emit", "--config", config, "--event-type", "START", "--run-id", "7")
    assert "'7' is no UUID" in outcome.err


@pytest.mark.slow
def test_the_deployment_script_of_the_example(api: Api, config: str) -> None:
    """The script as CI runs it, with the installed program, for one that starts and one that
    does not."""
    script = str(EXAMPLES / "deploy-flink-job.sh")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for deploy, status, state in (("true", 0, "RUNNING"), ("false", 1, "FAILED")):
        done = subprocess.run(
            [script, config],
            env={**os.environ, "PATH": path, "DEPLOY": deploy},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == status, done.stderr
        assert api.job("default", "order-enrichment")["latestRun"]["state"] == state
    assert edges(api) == DECLARED


@pytest.mark.slow
def test_the_workflow_of_the_example(api: Api) -> None:
    """Its steps that run commands, but for installing the package."""
    for example in EXAMPLES.iterdir():
        shutil.copy(example, example.name)
    steps = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"]["deploy"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    commands.remove("pip install 'headwater[sql]'")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        done = subprocess.run(
            ["bash", "-ec", command],
            env={**os.environ, "PATH": path, "DEPLOY": "true"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
    assert len(Path("lineage.ndjson").read_text().splitlines()) == 3
    assert api.job("default", "order-enrichment")["latestRun"]["state"] == "RUNNING"
    assert edges(api, "job:analytics:executive-revenue") == {
        "postgres://warehouse:5432:shop.public.revenue": "declared"
    }
