"""Reading what a job wrote to a dataset at the same time of the days before a run of it."""

from statistics import median_low

from sqlalchemy import Connection, text

from headwater.model.relations import Direction
from headwater.model.values.instant import DAY, MINUTE

# A run begins so much earlier or later than another, and is still of the same time of the day.
_NEAR = 30 * MINUTE
# Of jobs that run each minute: enough of a day.
_MOST_RUNS = 12

_LAST = "(SELECT sample.{name} FROM sample WHERE sample.run = run.id AND sample.dataset = :dataset"
_OF_USE = f" AND sample.direction = {int(Direction.OUTPUT)} ORDER BY sample.minute DESC LIMIT 1)"
_RUNS = text(
    f"SELECT {_LAST.format(name='rows')}{_OF_USE}, {_LAST.format(name='bytes')}{_OF_USE}"
    " FROM run AS last_run JOIN run ON run.job = last_run.job"
    " WHERE last_run.id = :run AND run.terminal IS NOT NULL"
    " AND run.first_event >= last_run.first_event - :earliest"
    " AND run.first_event < last_run.first_event - :latest"
    " ORDER BY run.first_event DESC LIMIT :most"
)

Counters = tuple[int | None, int | None]


def read_same_hours(
    connection: Connection, run: bytes, dataset: bytes, days: int
) -> dict[int, Counters]:
    """Read the rows and bytes that runs of the job of a run wrote, by how many days before it.

    Of several runs at that time of a day the one in the middle counts.
    """
    found = {}
    for day in range(1, days + 1):
        values = {"earliest": day * DAY + _NEAR, "latest": day * DAY - _NEAR, "most": _MOST_RUNS}
        rows = connection.execute(_RUNS, {"run": run, "dataset": dataset, **values}).all()
        counters = (_middle([row[0] for row in rows]), _middle([row[1] for row in rows]))
        if counters != (None, None):
            found[day] = counters
    return found


def _middle(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return median_low(known) if known else None
