"""`/owners`, what somebody owns, and the namespaces of a system."""

from typing import Any

from headwater.model.values.instant import MINUTE
from testing.api import Api, escape
from testing.events.minimal import JOBS, TABLES, dataset
from tests.server.test_health import ended
from tests.server.test_problems import owned

NASTY = "=team/<b>:%2F?#"


def ownership(*names: str) -> dict[str, Any]:
    return {"ownership": {"owners": [{"name": name} for name in names]}}


def fill(api: Api) -> None:
    orders = dataset("orders", **ownership("team:sales", NASTY))
    ended(api, "load", 5 * MINUTE, outputs=[orders], job_facets=owned("team:loads"))
    ended(api, "copy", 4 * MINUTE, outputs=[dataset("copies", **ownership("team:sales"))])


def give(api: Api, name: str, *owners: str) -> None:
    entity = {"type": "dataset", "namespace": TABLES, "name": name}
    body = {"entity": entity, "set": ownership(*owners)}
    assert api.post(body, "/api/v1/edits").status_code == 201


def of(api: Api, owner: str, **page: Any) -> list[str]:
    answer = api.read(f"/owners/{escape(owner)}", **page)
    return [asset["name"] for asset in answer["assets"]]


class TestOwners:
    def test_are_listed_by_name(self, api: Api) -> None:
        fill(api)
        assert api.read("/owners") == {
            "owners": [NASTY, "team:loads", "team:sales"],
            "totalCount": 3,
        }
        assert api.read("/owners", limit=1, offset=1)["owners"] == ["team:loads"]

    def test_have_datasets_and_jobs(self, api: Api) -> None:
        fill(api)
        assert of(api, "team:sales") == ["copies", "orders"]
        assert of(api, "team:sales", limit=1, offset=1) == ["orders"]
        assert of(api, NASTY) == ["orders"]
        (job,) = api.read("/owners/team:loads")["assets"]
        assert (job["type"], job["id"]) == ("JOB", f"job:{JOBS}:load")
        assert job["updatedAt"]
        assert of(api, "nobody") == []

    def test_are_as_people_say(self, api: Api) -> None:
        fill(api)
        give(api, "orders", "ada")
        assert of(api, "team:sales") == ["copies"]
        assert of(api, "ada") == ["orders"]
        assert "ada" in api.read("/owners")["owners"]

    def test_have_nothing_that_is_deleted(self, api: Api) -> None:
        fill(api)
        api.client.delete(f"/api/v1/namespaces/{escape(TABLES)}/datasets/copies")
        assert of(api, "team:sales") == ["orders"]


class TestNamespacesOfSystems:
    def test_by_scheme_and_by_what_a_job_says(self, api: Api) -> None:
        fill(api)
        spark = {"jobType": {"processingType": "BATCH", "integration": "SPARK"}}
        ended(api, "sum", MINUTE, job_facets=spark)
        found = {
            system["name"]: api.read(f"/systems/{system['name']}/namespaces")["namespaces"]
            for system in api.read("/systems")["systems"]
        }
        assert found == {
            "postgres": [{"name": TABLES, "datasets": 2, "jobs": 0}],
            "spark": [{"name": JOBS, "datasets": 0, "jobs": 1}],
            "unknown": [{"name": JOBS, "datasets": 0, "jobs": 2}],
        }
