"""`/problems/upstream`: what is wrong with what a node comes from."""

from typing import Any

from headwater.model.values.instant import MINUTE
from testing.api import Api, error_of
from testing.events.minimal import JOBS, TABLES, dataset
from tests.server.test_health import HOUR, ended
from tests.server.test_problems import ERROR, acknowledge, owned

SUMS, REPORT = f"dataset:{TABLES}:sums", f"dataset:{TABLES}:report"


def chain(api: Api, **load: Any) -> None:
    """orders -> load -> sums -> publish -> report; what is said of the first job is given."""
    ended(api, "load", 5 * MINUTE, inputs=[dataset("orders")], outputs=[dataset("sums")], **load)
    ended(api, "publish", 4 * MINUTE, inputs=[dataset("sums")], outputs=[dataset("report")])


class TestUpstream:
    def test_nothing_is_wrong(self, api: Api) -> None:
        chain(api)
        found = api.read("/problems/upstream", nodeId=REPORT)
        assert found["problems"] == [] and found["totalCount"] == 0
        assert found["checked"] == 4 and not found["isCut"]
        assert found["node"] == REPORT

    def test_tells_what_failed_who_owns_it_and_how_far(self, api: Api) -> None:
        ended(api, "other", 5 * MINUTE, "FAIL", outputs=[dataset("elsewhere")])
        chain(api)
        failed = ended(
            api,
            "load",
            3 * MINUTE,
            "FAIL",
            inputs=[dataset("orders")],
            outputs=[dataset("sums")],
            run_facets=ERROR,
            job_facets=owned("team:loads"),
        )
        for node, hops in ((REPORT, 2), (SUMS, 1), (f"job:{JOBS}:publish", 1)):
            (problem,) = api.read("/problems/upstream", nodeId=node)["problems"]
            assert (problem["name"], problem["problem"], problem["hops"]) == (
                "load",
                "failed",
                hops,
            )
            assert problem["run"] == failed and problem["owners"] == ["team:loads"]
            assert problem["reason"].endswith("disk full")

    def test_its_own_problem_is_not_upstream(self, api: Api) -> None:
        ended(api, "load", MINUTE, "FAIL", inputs=[dataset("orders")], outputs=[dataset("sums")])
        assert api.read("/problems/upstream", nodeId=f"job:{JOBS}:load")["totalCount"] == 0

    def test_failed_and_run_again(self, api: Api) -> None:
        parts: dict[str, Any] = {"inputs": [dataset("orders")], "outputs": [dataset("sums")]}
        ended(api, "load", 2 * HOUR, "FAIL", **parts)
        ended(api, "load", HOUR, **parts)
        (problem,) = api.read("/problems/upstream", nodeId=SUMS)["problems"]
        assert problem["problem"] == "recovered"

    def test_what_is_acknowledged_is_counted(self, api: Api) -> None:
        ended(api, "load", MINUTE, "FAIL", inputs=[dataset("orders")], outputs=[dataset("sums")])
        acknowledge(api, "load")
        found = api.read("/problems/upstream", nodeId=SUMS)
        assert (found["totalCount"], found["acknowledgedCount"]) == (0, 1)

    def test_unknown_and_wrong_nodes(self, sqlite_api: Api) -> None:
        error_of(sqlite_api.get("/problems/upstream", nodeId="dataset:n:none"), 404)
        error_of(sqlite_api.get("/problems/upstream", nodeId="none"), 400, "nodeId")
        error_of(sqlite_api.get("/problems/upstream"), 400, "nodeId")
