"""Which tests run beside each other: each worker of a parallel run takes whole groups.

Folders that share a costly service are one group, so that the service is started once; other tests
go by their file. The groups that take longest begin first, lest one of them is left for the end.
"""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# Their tests share a Spark session, a worker of Kafka Connect, or what they have parsed.
SHARED = ("tests/pipeline", "tests/spark", "tests/connect", "tests/suite")
# Longest first, by the times that a run prints at its end.
FIRST = (
    "tests/pipeline",
    "tests/spark",
    "tests/faults/test_ingest.py",
    "tests/connect",
    "tests/demo/test_live.py",
    "tests/ui/test_pages.py",
    "tests/ui/test_graph.py",
    "tests/ui/test_faults.py",
)


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Gives groups to workers in the order in which `order_tests` has put them."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return find_group(nodeid)


def order_tests(items: list[pytest.Item]) -> None:
    """Put the tests of the longest groups first."""
    order = {group: place for place, group in enumerate(FIRST)}
    items.sort(key=lambda item: order.get(find_group(item.nodeid), len(order)))


def find_group(nodeid: str) -> str:
    file = nodeid.partition("::")[0]
    shared = (folder for folder in SHARED if file.startswith(f"{folder}/"))
    return next(shared, file)
