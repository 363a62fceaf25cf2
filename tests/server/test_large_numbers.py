"""Numbers that JSON allows and readers do not take: nothing that holds one becomes unusable."""

import json

import pytest

from testing.api import Api, escape
from testing.events.minimal import JOBS, RUN, TABLES, dataset, run_event

DATASET = f"/api/v1/namespaces/{escape(TABLES)}/datasets/orders"
JOB = f"/api/v1/namespaces/{JOBS}/jobs/load"
TABLE = {"type": "DB_TABLE", "physicalName": "orders", "sourceName": "db"}
EDITS = [
    ("POST", f"{DATASET}/tags/a", None),
    ("DELETE", f"{DATASET}/tags/a", None),
    ("PUT", DATASET, TABLE),
    ("POST", f"{JOB}/tags/a", None),
    ("PUT", JOB, {"type": "BATCH"}),
    ("POST", f"/api/v1/jobs/runs/{RUN}/complete", None),
    ("DELETE", DATASET, None),
    ("DELETE", JOB, None),
]
READS = ["/events/lineage", "/jobs", "/search?q=load", f"/lineage?nodeId=job:{JOBS}:load"]


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 4301])
def test_what_holds_one_is_read_and_edited(api: Api, number: str) -> None:
    facet = {"custom": {"n": "NUMBER"}}
    event = run_event(
        run_facets=facet,
        job_facets=facet,
        inputs=[dataset("orders", custom=facet["custom"])],
        unknown="NUMBER",
    )
    api.store(json.dumps(event).replace('"NUMBER"', number).encode())
    assert api.job(JOBS, "load")["facets"]["custom"] == {"n": number}
    for path in READS:
        answer = api.client.get(f"/api/v1{path}")
        assert answer.status_code == 200
        # Read as strictly as clients do.
        json.loads(answer.content, parse_constant=pytest.fail, parse_float=_finite)
    for method, path, body in EDITS:
        answer = (
            api.client.request(method, path, json=body)
            if body
            else api.client.request(method, path)
        )
        assert answer.status_code in (200, 201), (method, path, answer.text)


def _finite(text: str) -> float:
    assert abs(float(text)) != float("inf"), text
    return float(text)
