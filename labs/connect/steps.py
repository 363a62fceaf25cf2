"""The lab step by step: each does something, shows what the graph says of it, and checks that."""

from collections.abc import Callable
from functools import partial

from headwater.cli.output.screen import Grid, Screen
from headwater.model.values.instant import now
from labs.checks import check
from labs.connect.connectors import (
    BROKER,
    Config,
    debezium,
    deployed,
    differences,
    seed_configs,
)
from labs.connect.graph import labels
from labs.connect.stage import Stage

ORDERS, BIDS = f"kafka://{BROKER}|orders", f"kafka://{BROKER}|bids"
SUPPLIERS = f"kafka://{BROKER}|shop.public.suppliers"
S3_ORDERS, S3_BIDS = "s3://fh-dev-bucket|orders", "s3://fh-dev-bucket|bids"
TABLE_ORDERS, TABLE_BIDS = "s3://warehouse|orders", "s3://warehouse|bids"
ONE_TOPIC = seed_configs("orders", ("orders",))
TWO_TOPICS = seed_configs("multi-topics", ("orders", "bids"))
MULTI_SINKS = ("multi-topics-s3-sink", "multi-topics-iceberg-sink")

_ORDER = {
    "bid_time": "timestamp",
    "item": "string",
    "order_id": "string",
    "price": "float64",
    "supplier": "string",
}
_NO_AVRO = b"Dear supplier, please send two chairs."
_SUPPLIERS = """
CREATE TABLE suppliers (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO suppliers VALUES (1, 'Alice'), (2, 'Bob');
"""


def make_tables(stage: Stage) -> None:
    """Make the tables that the Iceberg sinks write to, and see that they are in S3."""
    lines = [line for line in stage.make_tables().splitlines() if line.startswith("   demo_ib")]
    print("\n".join(lines))
    found = {key.partition("/")[0] for key in stage.s3.keys("warehouse")}
    check(found == {"orders", "bids"}, "the warehouse has the tables orders and bids", found)


def deploy(stage: Stage) -> None:
    """See three jobs that are joined through their datasets."""
    for name, seed in ONE_TOPIC.items():
        _deploy(stage, name, seed)
    _wait_for_writes(stage, "orders")
    for dataset in (ORDERS, TABLE_ORDERS):
        stage.wait(f"the columns of {dataset}", partial(stage.graph.columns, dataset))
    stage.graph.show_jobs()
    found = labels(stage.graph.show_downstream("orders-source"))
    joined = {*ONE_TOPIC, ORDERS, S3_ORDERS, TABLE_ORDERS}
    check(found == joined, f"three jobs, joined through {ORDERS}", found)
    for dataset, sink in ((S3_ORDERS, "orders-s3-sink"), (TABLE_ORDERS, "orders-iceberg-sink")):
        found = labels(stage.graph.show_upstream(dataset))
        chain = {"orders-source", ORDERS, sink, dataset}
        check(found == chain, f"{dataset} comes from {ORDERS}, and that from the source", found)
    stage.graph.show_columns(ORDERS, TABLE_ORDERS, S3_ORDERS)
    for dataset in (ORDERS, TABLE_ORDERS):
        columns = stage.graph.columns(dataset)
        check(columns == _ORDER, f"{dataset} has the columns of the records", columns)


def look_from_outside(stage: Stage) -> None:
    """See that what collectors report is not a second job, nor a second run."""

    def have_both() -> bool:
        facets = [stage.graph.facets(stage.graph.newest_run(name)) for name in ONE_TOPIC]
        return all({"kafka_connect", "kafka_connect_rest"} <= set(each) for each in facets)

    stage.wait("both have reported", have_both)
    found = stage.graph.show_collectors()
    states = {each["name"]: each["problem"] for each in found}
    check(states == {"connect": None, "registry": None}, "both collectors are well", states)
    runs = {name: len(stage.graph.runs(name)) for name in ONE_TOPIC}
    check(set(runs.values()) == {1}, "inside and outside together are one run a job", runs)


def deploy_several_topics(stage: Stage) -> None:
    """See that each dataset comes from its own topic."""
    for name, seed in TWO_TOPICS.items():
        _deploy(stage, name, seed)
    _wait_for_writes(stage, "bids")
    found = labels(stage.graph.show_downstream("multi-topics-source"))
    # The sinks of before read orders, whoever writes them.
    expected = {"multi-topics-source", *MULTI_SINKS, "orders-s3-sink", "orders-iceberg-sink"}
    expected |= {ORDERS, BIDS, S3_ORDERS, S3_BIDS, TABLE_ORDERS, TABLE_BIDS}
    check(found == expected, "two topics, four sinks, four datasets", found)
    found = labels(stage.graph.show_upstream(TABLE_BIDS))
    chain = {"multi-topics-source", BIDS, "multi-topics-iceberg-sink", TABLE_BIDS}
    check(found == chain, f"{TABLE_BIDS} comes from bids, and not from orders", found)


def follow_database(stage: Stage) -> None:
    """See the table that a topic comes from."""
    stage.execute(_SUPPLIERS)
    config = debezium(stage.database.port, stage.place)
    stage.deploy("suppliers-source", config)
    stage.wait("the columns of suppliers", partial(stage.graph.columns, SUPPLIERS))
    table = f"postgres://127.0.0.1:{stage.database.port}|shop.public.suppliers"
    found = labels(stage.graph.show_upstream(SUPPLIERS))
    check(found == {table, "suppliers-source", SUPPLIERS}, "the topic comes from its table", found)


def change_schemas(stage: Stage) -> None:
    """See the columns that came, in a topic and in a database."""
    since = now()
    stage.execute("ALTER TABLE suppliers ADD COLUMN country text")
    stage.execute("INSERT INTO suppliers VALUES (3, 'Carol', 'AU')")
    seed = ONE_TOPIC["orders-source"]
    config = deployed(seed, stage.place)
    stage.deploy("orders-source", {**config, "genv.orders.currency.with": "#{Currency.code}"})
    for dataset, column in ((ORDERS, "currency"), (SUPPLIERS, "country")):
        stage.wait(f"{dataset} has {column}", partial(_has_column, stage, dataset, column))
    found = stage.graph.added_columns(since, now())
    added = {f"{ORDERS}.currency", f"{SUPPLIERS}.country"}
    check(added <= found, "the new columns are changes of the topics", found)
    states = [run["state"] for run in stage.graph.runs("orders-source")]
    expected = ["RUNNING", "COMPLETED"]
    check(states == expected, "another configuration is another run", states)


def kill_tasks(stage: Stage) -> None:
    """See which tasks died, of what, and who is hit; then let them skip such messages."""
    stage.failing.update(MULTI_SINKS)
    stage.kafka.produce("bids", [_NO_AVRO])
    stage.wait_for_state("FAILED", *MULTI_SINKS)
    ill = {job["name"] for job in stage.graph.show_health()}
    check(ill == set(MULTI_SINKS), "health names the two sinks of bids, and no other", ill)
    error = stage.graph.facets(stage.graph.newest_run(MULTI_SINKS[0]))["errorMessage"]
    cause = error["message"]
    check(
        "Tolerance exceeded" in error.get("stackTrace", ""),
        f"the run has the error: {cause}",
        error,
    )
    for name in MULTI_SINKS:
        config = deployed(TWO_TOPICS[name], stage.place)
        stage.deploy(name, {**config, "errors.tolerance": "all"})
        stage.failing.discard(name)
    stage.graph.show_runs(MULTI_SINKS[0])
    states = [run["state"] for run in stage.graph.runs(MULTI_SINKS[0])]
    check(states == ["RUNNING", "FAILED"], "a second run, besides the failed one", states)


def pause(stage: Stage) -> None:
    """See that a pause is no end."""
    name = "orders-s3-sink"
    stage.worker.pause(name)
    stage.wait("it is reported as paused", lambda: "paused" in stage.graph.reasons(name))
    check(stage.graph.state(name) == "RUNNING", "the run goes on, and says that it is paused")
    stage.worker.resume(name)
    stage.wait("it is resumed", lambda: "paused" not in stage.graph.reasons(name))
    stage.graph.show_runs(name)
    runs = stage.graph.runs(name)
    check(len(runs) == 1, "it is still the same run", [run["id"] for run in runs])


def delete(stage: Stage) -> None:
    """See that connectors that are no more are ended and marked, and the others go on."""
    for name in TWO_TOPICS:
        stage.worker.delete(name)
    stage.wait_for_state("ABORTED", *TWO_TOPICS)
    stage.graph.show_jobs()
    states = {name: stage.graph.state(name) for name in ONE_TOPIC}
    check(set(states.values()) == {"RUNNING"}, "the others run", states)
    answer = stage.graph.show_downstream("orders-source")
    gone = {node["data"]["name"] for node in answer["graph"] if node["data"].get("deleted")}
    check(gone == set(MULTI_SINKS), "the graph says which sinks were deleted", gone)


STEPS: tuple[tuple[str, Callable[[Stage], None]], ...] = (
    ("Spark makes the Iceberg tables, by the guide's DDL", make_tables),
    ("The guide's three connectors: a source, a sink to S3, a sink to Iceberg", deploy),
    ("The same cluster from outside: its REST API and the registry", look_from_outside),
    ("The guide's connectors with several topics: orders and bids", deploy_several_topics),
    ("A database: Debezium reads changes of PostgreSQL", follow_database),
    ("Schemas change: in the generator, and in the database", change_schemas),
    ("Tasks are killed: by a message that is no Avro, and mended", kill_tasks),
    ("A pause", pause),
    ("Connectors are deleted", delete),
)


def _deploy(stage: Stage, name: str, seed: Config) -> None:
    """Deploy a configuration of the guide, and print how it differs from that."""
    config = deployed(seed, stage.place)
    screen = Screen()
    screen.say(f"\n{name}: {len(seed)} keys in the guide; other values here", "bold")
    grid = Grid(("key", "in the guide", "here"))
    for difference in differences(seed, config):
        grid.add(*map(screen.clean, difference))
    screen.show(grid)
    stage.deploy(name, config)


def _has_column(stage: Stage, dataset: str, column: str) -> bool:
    return column in stage.graph.columns(dataset)


def _wait_for_writes(stage: Stage, topic: str) -> None:
    """Wait until records of a topic are in the bucket, and in the table."""
    stage.wait("objects in the bucket", lambda: stage.s3.keys("fh-dev-bucket"))
    start = f"{topic}/data/"
    stage.wait(
        f"data of {topic} in the warehouse",
        lambda: [key for key in stage.s3.keys("warehouse") if key.startswith(start)],
    )
