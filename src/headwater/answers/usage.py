"""Who read and wrote a dataset, by day."""

from headwater.answers.results import DatasetUsage, DayUser, DayUsers, NodeName, UsageDay
from headwater.graph.node_id import ParsedNodeId, dataset_node_id, job_node_id
from headwater.graph.view import View
from headwater.model.relations import Direction
from headwater.model.uses import Name
from headwater.model.values.instant import DAY, format_instant, now
from headwater.store.engine import Connection
from headwater.store.stats.runs_in_range import TimeRange
from headwater.store.stats.usage import DayUse, read_usage

Uses = dict[tuple[int, bytes], DayUse]


def usage_shape(
    connection: Connection, view: View, node: ParsedNodeId, days: int, limit: int
) -> DatasetUsage:
    """The days up to now, newest first; as many jobs of each as requested, and counts of all."""
    until = now() + 1
    interval = TimeRange(((until - 1) // DAY - days + 1) * DAY, until)
    view.classes.resolve([node.id])
    usage = read_usage(connection, view.classes.names(node.id), interval)
    # If there was too much, an incomplete day is omitted.
    since = -(-usage.complete_since // DAY) * DAY
    days_shown = {day: uses for day, uses in usage.days.items() if day * DAY >= since}
    jobs = {job for uses in days_shown.values() for _, job in uses}
    names = view.reader.job_names(jobs)
    shown = [
        UsageDay(
            format_instant(day * DAY)[:10],
            _users(uses, Direction.INPUT, names, limit),
            _users(uses, Direction.OUTPUT, names, limit),
        )
        for day, uses in sorted(days_shown.items(), reverse=True)
    ]
    return DatasetUsage(
        NodeName(dataset_node_id(node.namespace, node.name), node.namespace, node.name),
        format_instant(since),
        format_instant(until - 1),
        shown,
        usage.is_cut,
    )


def _users(uses: Uses, direction: Direction, names: dict[bytes, Name], limit: int) -> DayUsers:
    users = [
        DayUser(job_node_id(*names[job]), *names[job], use.runs, format_instant(use.last_at))
        for (way, job), use in uses.items()
        if way == direction and job in names
    ]
    users.sort(key=lambda user: (-user.runs, user.namespace, user.name))
    return DayUsers(users[:limit], len(users), sum(user.runs for user in users))
