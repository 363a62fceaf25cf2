"""The end of the chain: the dashboard that the board looks at."""

from collections.abc import Iterator

from headwater.demo.build import HOUR, Clock, Happening, JobName, System, round_down, run_id
from headwater.demo.columns import derived
from headwater.demo.queries import DASHBOARD_SQL
from headwater.demo.tables import DASHBOARD, DASHBOARDS, SUMMARY
from headwater.model.values.instant import MINUTE, SECOND

REFRESH = JobName(DASHBOARDS, "executive-revenue-dashboard")
_EVERY = 4 * HOUR
_BY = System("superset")


def tell_dashboard(clock: Clock) -> Iterator[Happening]:
    """Its refreshes, every four hours."""
    kind = {"processingType": "BATCH", "integration": "SUPERSET", "jobType": "DASHBOARD"}
    job = _BY.job(REFRESH, kind, "team:finance", DASHBOARD.description, DASHBOARD_SQL)
    for slot in range(round_down(clock.begin, _EVERY) + _EVERY, clock.now, _EVERY):
        start = slot + 30 * MINUTE
        run = {"runId": run_id(REFRESH, start)}
        inputs = [SUMMARY.described(_BY, start, clock)]
        outputs = [derived(DASHBOARD, _BY, start, clock)]
        yield _BY.run_event(start, "START", job, run, inputs, outputs)
        yield _BY.run_event(start + 12 * SECOND, "COMPLETE", job, run, inputs, outputs)
