"""What a server must show of the DAG of the shop, by whichever way its events came."""

from typing import Any

from testing.api import Api

FILES = ("raw/orders.csv", "main/orders.csv", "main/totals.csv")
TASKS = ("shop.clean", "shop.list_regions", "shop.regions.total")


def check_family(api: Api) -> None:
    """A job for the DAG and one for each task; its tries and mapped instances are its runs."""
    jobs = {job["name"]: job for job in api.read("/namespaces/airflow/jobs")["jobs"]}
    assert sorted(jobs) == ["shop", *TASKS]
    assert {name: jobs[name]["parentJobName"] for name in jobs} == {
        "shop": None,
        **dict.fromkeys(TASKS, "shop"),
    }
    (dag_run,) = _runs(api, "shop")
    assert dag_run["state"] == "COMPLETED"
    states = {}
    for name in TASKS:
        runs = _runs(api, name)
        assert {run["facets"]["parent"]["run"]["runId"] for run in runs} == {dag_run["id"]}
        states[name] = [run["state"] for run in runs]
    assert states == {
        "shop.list_regions": ["COMPLETED"],
        # Newest first: it fails once, and is tried again.
        "shop.clean": ["COMPLETED", "FAILED"],
        # An instance for each region.
        "shop.regions.total": ["COMPLETED", "COMPLETED"],
    }


def check_lineage(api: Api) -> None:
    """From the first file to the last, through the tasks that have it as inlet or outlet."""
    assert _edges(api) == {
        (FILES[0], "shop.clean"),
        ("shop.clean", FILES[1]),
        (FILES[1], "shop.regions.total"),
        ("shop.regions.total", FILES[2]),
    }


def _runs(api: Api, name: str) -> list[Any]:
    return list(api.read(f"/namespaces/airflow/jobs/{name}/runs")["runs"])


def _edges(api: Api) -> set[tuple[str, str]]:
    """The whole graph around the last file, by short names."""
    node = f"dataset:file:/data/{FILES[2]}"
    graph = api.read("/lineage", nodeId=node, depth=20)["graph"]
    edges = (edge for node in graph for edge in node["outEdges"])
    return {(_short(edge["origin"]), _short(edge["destination"])) for edge in edges}


def _short(node: str) -> str:
    return node.removeprefix("dataset:file:/data/").removeprefix("job:airflow:")
