"""`GET /api/v1/drift` over both databases; `tests/cli/test_drift.py` has the rules."""

from testing.api import Api, error_of
from testing.events.full import job_event, run_event


def test_edges_that_differ(api: Api) -> None:
    api.store(job_event(), run_event("COMPLETE", inputs=[{"namespace": "db", "name": "returns"}]))
    found = api.read("/drift", namespace="scheduler")
    assert (found["totalCount"], found["declaredCount"], found["isCut"]) == (1, 1, False)
    edges = {(each["kind"], each["name"]) for each in found["jobs"][0]["edges"]}
    assert edges == {("notObserved", "orders"), ("notDeclared", "returns")}
    unknown = error_of(api.get("/drift", namespace="others"), 404)
    assert unknown["message"] == "namespace 'others' not found"


def test_bad_parameters(api: Api) -> None:
    for limit in ("0", "x", "100000"):
        error_of(api.get("/drift", limit=limit), 400, "limit")
