"""The tables, made from the declared relations; indexes are all this module adds to them."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    literal_column,
    text,
    types,
)
from sqlalchemy.dialects import postgresql

from headwater.model import merge
from headwater.model.event import Kind
from headwater.model.merge import CATALOG, Relation
from headwater.model.relations import Rule

METADATA = MetaData()

# Sorted by code point, as SQLite does: a list has the same order on every database.
TEXT = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")

# Rows over about 1 KB spill into overflow pages where SQLite keeps them in the key's own tree.
_WITH_ROWID = frozenset(("event", "content", "rejected"))
# PostgreSQL updates a row in its own page if there is room: these are updated by every event.
_OFTEN_UPDATED = frozenset(("job", "run", "run_dataset", "job_dataset", "facet"))


def _type(column: merge.RelationColumn) -> types.TypeEngine[Any]:
    if column.type is bytes:
        return LargeBinary()
    if column.type is str:
        return TEXT
    return SmallInteger() if column.is_small else BigInteger()


def _table(relation: Relation) -> Table:
    columns: list[Column[Any]] = [
        Column(
            column.name,
            _type(column),
            primary_key=column.rule is Rule.KEY,
            nullable=column.is_nullable,
            autoincrement=False,
        )
        for column in relation.columns
    ]
    options: dict[str, Any] = (
        {"postgresql_with": {"fillfactor": 80}} if relation.name in _OFTEN_UPDATED else {}
    )
    return Table(
        relation.name,
        METADATA,
        *columns,
        sqlite_with_rowid=relation.name in _WITH_ROWID,
        **options,
    )


TABLES = {name: _table(relation) for name, relation in CATALOG.items()}

event = TABLES["event"]
content = TABLES["content"]
dataset = TABLES["dataset"]
job = TABLES["job"]
run = TABLES["run"]
run_dataset = TABLES["run_dataset"]
job_dataset = TABLES["job_dataset"]
declared_dataset = TABLES["declared_dataset"]
declaration = TABLES["declaration"]
facet = TABLES["facet"]
sample = TABLES["sample"]
alias = TABLES["alias"]
lifecycle = TABLES["lifecycle"]
named = TABLES["named"]
hidden = TABLES["hidden"]
edit_value = TABLES["edit_value"]
stream_job = TABLES["stream_job"]
reported_gaps = TABLES["reported_gaps"]
rejected = TABLES["rejected"]
rejected_place = TABLES["rejected_place"]

# One row: `generation` changes when rows that writers remember as stored may have gone; events
# from before `pruned_before` may be missing.
store_state = Table(
    "store_state",
    METADATA,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("generation", BigInteger, nullable=False),
    Column("pruned_before", BigInteger),
)

# Who is to have every event: the lake, which is reader 0, and the targets of publishers, with how
# far they are. Ids are not used again while notes of a removed reader are left.
outbox_reader = Table(
    "outbox_reader",
    METADATA,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("name", TEXT, nullable=False),
    Column("publisher", TEXT, nullable=False),
    Column("address", TEXT, nullable=False),
    Column("registered_at", BigInteger, nullable=False),
    # 1 until the events that were stored before are noted for it, if it is to have them.
    Column("lacks_history", SmallInteger, nullable=False),
    Column("sent", BigInteger, nullable=False),
    Column("refused", BigInteger, nullable=False),
    Column("last_sent_at", BigInteger),
    Column("last_error", TEXT),
    Column("last_error_at", BigInteger),
)

# The events that a reader does not have yet. No relation: it says what is to be done.
outbox = Table(
    "outbox",
    METADATA,
    Column("reader", SmallInteger, primary_key=True, autoincrement=False, server_default=text("0")),
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, primary_key=True),
    sqlite_with_rowid=False,
)

# The newest events that a target did not take, and why.
refused_event = Table(
    "refused_event",
    METADATA,
    Column("reader", SmallInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, primary_key=True),
    Column("reason", TEXT, nullable=False),
    Column("refused_at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# The catalogs that lineage is published to, with the result of the last pass. No relation: it says
# what was done. Times are in microseconds since 1970.
catalog_target = Table(
    "catalog_target",
    METADATA,
    Column("name", TEXT, primary_key=True),
    Column("publisher", TEXT, nullable=False),
    Column("address", TEXT, nullable=False),
    Column("registered_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("removed", BigInteger, nullable=False),
    Column("unchanged", BigInteger, nullable=False),
    Column("skipped", BigInteger, nullable=False),
    Column("failed", BigInteger, nullable=False),
    Column("problem", TEXT),
)

# What a catalog was last given: only what differs from it is published. `body` is packed; without
# a digest nothing was published yet. `reference` is what the catalog calls it.
published_item = Table(
    "published_item",
    METADATA,
    Column("target", TEXT, primary_key=True),
    Column("kind", TEXT, primary_key=True),
    Column("key", TEXT, primary_key=True),
    Column("subject", TEXT, nullable=False),
    Column("digest", LargeBinary),
    Column("body", LargeBinary),
    Column("reference", TEXT, nullable=False),
    Column("published_at", BigInteger),
    Column("problem", TEXT),
    Column("problem_at", BigInteger),
)

# How far a source outside, such as a topic, has been taken in. The incarnation tells a source
# from another of the same name, whose positions begin anew.
position = Table(
    "position",
    METADATA,
    Column("source", TEXT, primary_key=True),
    Column("partition", TEXT, primary_key=True),
    Column("incarnation", TEXT, nullable=False, server_default=text("''")),
    Column("value", BigInteger, nullable=False),
    Column("moved_at", BigInteger, nullable=False),
)


# The collectors and publishers that run by themselves. No relations: they say what is done, and
# only the newest counts. Times are in microseconds since 1970.
def _of_passes(name: str) -> Table:
    """A table of what runs by itself: who runs it, when, and with what result."""
    return Table(
        name,
        METADATA,
        Column("name", TEXT, primary_key=True),
        Column("type", TEXT, nullable=False),
        Column("every_seconds", BigInteger, nullable=False),
        # Another may take over once the lease has ended.
        Column("holder", TEXT, nullable=False),
        Column("lease_until", BigInteger, nullable=False),
        Column("requested_at", BigInteger),
        Column("started_at", BigInteger),
        Column("ended_at", BigInteger),
        Column("next_at", BigInteger),
        # The last pass that sent anything.
        Column("changed_at", BigInteger),
        Column("stored", BigInteger, nullable=False),
        Column("refused", BigInteger, nullable=False),
        Column("all_stored", BigInteger, nullable=False),
        Column("failures", BigInteger, nullable=False),
        Column("problem", TEXT),
    )


collector = _of_passes("collector")
publisher = _of_passes("publisher")

# Ingestions by name: what each is to do, who runs it, and with what result. No relation either.
ingestion = Table(
    "ingestion",
    METADATA,
    Column("name", TEXT, primary_key=True),
    # As it was given, in JSON; secrets are references.
    Column("body", TEXT, nullable=False),
    # Counts changes: whoever runs an older one starts anew.
    Column("revision", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("updated_by", TEXT, nullable=False),
    Column("is_paused", SmallInteger, nullable=False),
    Column("holder", TEXT, nullable=False),
    Column("lease_until", BigInteger, nullable=False),
    Column("requested_at", BigInteger),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("next_at", BigInteger),
    Column("all_stored", BigInteger, nullable=False),
    Column("failures", BigInteger, nullable=False),
    Column("problem", TEXT),
)

# The newest runs of each, as they go and as they ended.
ingestion_run = Table(
    "ingestion_run",
    METADATA,
    Column("ingestion", TEXT, primary_key=True),
    Column("started_at", BigInteger, primary_key=True, autoincrement=False),
    Column("ended_at", BigInteger),
    Column("stored", BigInteger, nullable=False),
    Column("rejected", BigInteger, nullable=False),
    Column("excluded", BigInteger, nullable=False),
    Column("marked", BigInteger, nullable=False),
    Column("lag", BigInteger),
    Column("problem", TEXT),
)

# The jobs and datasets that came through an ingestion which marks what is not seen any more.
ingestion_member = Table(
    "ingestion_member",
    METADATA,
    Column("ingestion", TEXT, primary_key=True),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("entity", LargeBinary, primary_key=True),
    sqlite_with_rowid=False,
)

# Work that was requested of the server. No relation: it says what is done. Whoever holds the
# lease does it; another may once the lease has ended. `progress`, `result` and `params` are JSON.
task = Table(
    "task",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("type", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("holder", TEXT, nullable=False),
    Column("lease_until", BigInteger, nullable=False),
    Column("progress", TEXT, nullable=False),
    Column("result", TEXT),
    Column("error", TEXT),
    Column("params", TEXT, nullable=False),
)

# Names of sets of events, and what is in them. No relations: taking a name away changes no fact.
event_set = Table(
    "event_set",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("created_at", BigInteger, nullable=False),
    Column("modified_at", BigInteger, nullable=False),
)
event_set_member = Table(
    "event_set_member",
    METADATA,
    Column("set_id", TEXT, primary_key=True),
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, primary_key=True),
    sqlite_with_rowid=False,
)

# Who may come in. No relation: keys are not facts, and the newest word on one is all there is.
api_key = Table(
    "api_key",
    METADATA,
    Column("name", TEXT, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("scopes", TEXT, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

# What is found by which words. No relations: a writer makes them from the rows it writes.
search_word = Table(
    "search_word",
    METADATA,
    Column("term", TEXT, primary_key=True),
    Column("weight", SmallInteger, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("source", LargeBinary, primary_key=True),
    sqlite_with_rowid=False,
)
search_part = Table(
    "search_part",
    METADATA,
    Column("part", TEXT, primary_key=True),
    Column("term", TEXT, primary_key=True),
    sqlite_with_rowid=False,
)

# Spelled out, as in the queries that are to use the index: a parameter could be any number.
IS_EDIT = event.c.kind == literal_column(str(int(Kind.EDIT)))
IS_OF_RUN = event.c.kind == literal_column(str(int(Kind.RUN)))
_IS_SOURCE = text("slot = 2 AND name = 'dataSource'")
# Facets that are searched, of jobs and datasets: documentation, ownership, tags.
IS_WORDED = text("slot IN (1, 2) AND name IN ('documentation', 'ownership', 'tags')")

Index("task_by_creation", task.c.created_at)
Index("task_by_status", task.c.status, task.c.created_at)
Index("event_set_member_by_event", event_set_member.c.at, event_set_member.c.digest)
Index("outbox_reader_by_name", outbox_reader.c.name, unique=True)
Index("dataset_by_name", dataset.c.namespace_id, dataset.c.name)
Index("job_by_name", job.c.namespace_id, job.c.name)
# Lists of all jobs: a page far in is found by walking over one of these alone.
Index("job_by_whole_name", job.c.name, job.c.namespace)
Index("job_by_update", job.c.last_seen.desc(), job.c.name, job.c.namespace)
Index(
    "job_unseen",
    job.c.id,
    sqlite_where=job.c.first_seen.is_(None),
    postgresql_where=job.c.first_seen.is_(None),
)
Index(
    "job_by_parent",
    job.c.parent,
    sqlite_where=job.c.parent.is_not(None),
    postgresql_where=job.c.parent.is_not(None),
)
Index("run_by_job", run.c.job, run.c.first_event)
Index(
    "run_by_name",
    run.c.name,
    sqlite_where=run.c.name.is_not(None),
    postgresql_where=run.c.name.is_not(None),
)
Index(
    "run_by_execution",
    run.c.job,
    run.c.parent_run,
    run.c.first_event,
    sqlite_where=run.c.parent_run.is_not(None),
    postgresql_where=run.c.parent_run.is_not(None),
)
Index("job_dataset_by_dataset", job_dataset.c.dataset, job_dataset.c.direction, job_dataset.c.job)
Index("declared_dataset_by_job", declared_dataset.c.job)
Index("declared_dataset_by_dataset", declared_dataset.c.dataset)
Index("alias_by_other", alias.c.other)
Index("lifecycle_by_previous", lifecycle.c.previous)
Index("rejected_by_time", rejected.c.received_at)
# Rows stand in the order in which they came, so that this costs a few bytes for many of them.
# SQLite numbers its rows and needs no index for it.
Index("event_by_receipt", event.c.received_at, postgresql_using="brin").ddl_if(dialect="postgresql")
Index("event_types", event.c.at, event.c.type, sqlite_where=IS_OF_RUN, postgresql_where=IS_OF_RUN)
Index("event_edits", event.c.at, sqlite_where=IS_EDIT, postgresql_where=IS_EDIT)
Index(
    "event_by_run",
    event.c.run,
    event.c.at,
    sqlite_where=event.c.run.is_not(None),
    postgresql_where=event.c.run.is_not(None),
)
Index("facet_sources", facet.c.digest, sqlite_where=_IS_SOURCE, postgresql_where=_IS_SOURCE)
Index("facet_words", facet.c.digest, sqlite_where=IS_WORDED, postgresql_where=IS_WORDED)
Index("job_dataset_by_schema", job_dataset.c.schema)
Index("declared_dataset_by_schema", declared_dataset.c.schema)
Index("edit_value_by_digest", edit_value.c.digest)
Index("stream_job_by_application", stream_job.c.application, stream_job.c.role)
Index("reported_gaps_by_time", reported_gaps.c.job, reported_gaps.c.first_seen)
Index("reported_gaps_by_run", reported_gaps.c.run)
