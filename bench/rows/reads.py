"""What reads cost on servers that are filled once for all of them, and whether history costs."""

from bench.client import Client
from bench.figure import Figure
from bench.rows import graph, lists
from bench.rows.woven import costs, growth, woven_headwater
from testing.services.postgresql import PostgreSQL

# Ten runs of every job: as many as are shown. The same graph with ten and a hundred times that.
SHORT, LONGER, LONGEST = 10_000, 100_000, 1_000_000
READS = (*graph.READS, *lists.READS)


def reads(client: Client) -> list[Figure]:
    """Reads of 500 jobs and 1,000 datasets after 100,000 events; lists to those after 10,000."""
    with woven_headwater(client, SHORT) as short, woven_headwater(client, LONGER) as longer:
        what = f" after {LONGER:,} events, to after {SHORT:,}"
        return [*costs(READS, longer), *growth(lists.READS, short, longer, what)]


def reads_postgres(client: Client) -> list[Figure]:
    """The same on PostgreSQL, the database's CPU included; for comparison."""
    with (
        PostgreSQL.start() as database,
        woven_headwater(client, SHORT, database.url("reads")) as server,
    ):
        return costs(READS, server, database)


def reads_history(client: Client) -> list[Figure]:
    """The same after a hundred times the history, in turns."""
    what = f" after {LONGEST:,} events, to after {SHORT:,}"
    with woven_headwater(client, SHORT) as short, woven_headwater(client, LONGEST) as longest:
        return growth((*graph.LASTING, *lists.READS), short, longest, what)
