"""What was read of an account -> what is seen of each job and dataset; no I/O."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.collect.confluent import reports
from headwater.collect.confluent.describe.connectors import (
    ConnectorRules,
    group_of,
    observe_connectors,
)
from headwater.collect.confluent.describe.extraction import observe_extraction
from headwater.collect.confluent.describe.flink import observe_statements
from headwater.collect.confluent.describe.flink_tables import FlinkTables
from headwater.collect.confluent.describe.groups import observe_groups
from headwater.collect.confluent.describe.ksqldb import groups_of, observe_queries
from headwater.collect.confluent.describe.links import observe_links
from headwater.collect.confluent.describe.tableflow import observe_tables
from headwater.collect.confluent.describe.topics import EnvironmentTopics
from headwater.collect.confluent.observation import Observation, SeenJob
from headwater.collect.confluent.reports import (
    ClusterReport,
    EnvironmentReport,
    KsqlReport,
    PartProblem,
    text,
)
from headwater.model.confluent.names import split_cluster
from headwater.model.connect.connector_templates import Row
from headwater.model.naming import DatasetName

Json = dict[str, Any]


class TranslatedAccount:
    """All that is seen of an account in one pass."""

    def __init__(self, environments: Sequence[EnvironmentReport], rows: Sequence[Row] = ()) -> None:
        self._environments = environments
        self._rows = rows
        self._clusters = {each.id: each for env in environments for each in env.clusters}
        self._topics = {each.id: EnvironmentTopics(each) for each in environments}

    def observations(self) -> Iterator[Observation]:
        """Datasets before the jobs that use them; what an environment lacks comes last."""
        for environment in self._environments:
            topics = self._topics[environment.id]
            yield from _guarded(environment, environment.id, topics.observations())
            is_without = not environment.has_read(reports.SCHEMAS)
            jobs: list[SeenJob] = []
            for each in self._of_environment(environment, topics):
                if isinstance(each.seen, SeenJob):
                    jobs.append(each.seen)
                yield each._replace(is_without_schemas=is_without)
            yield from observe_extraction(environment, jobs)

    def facets(self, name: DatasetName) -> Json:
        """What is known of a topic; nothing of any other dataset."""
        place = split_cluster(name.namespace)
        cluster = self._clusters.get(place[1]) if place else None
        if place is None or cluster is None or not _is_topic(cluster, name.name):
            return {}
        topics = self._topics[cluster.environment_id]
        found = topics.facets(cluster, name.name)
        for facet, values in topics.lively(cluster, name.name).items():
            found[facet] = {**found[facet], **values}
        if reports.TOPICS in cluster.done:
            # What lacks something is no news; where a topic is not listed, it is all there is.
            return {key: body for key, body in found.items() if key not in topics.unread}
        return found

    def lists_clusters(self, environment: str) -> set[str] | None:
        """The clusters of an environment; None where they are not all known."""
        for each in self._environments:
            if each.id == environment and reports.CLUSTERS in each.done and not each.is_narrowed:
                return {cluster.id for cluster in each.clusters}
        return None

    def leaves_out(self, namespace: str) -> bool:
        """Whether a namespace is that of a cluster that is not to be read."""
        return any(each.leaves_out(namespace) for each in self._environments)

    def done(self) -> set[tuple[str, str]]:
        """The parts that were read whole, by place: what is missing from them is gone."""
        found = {(env.id, part) for env in self._environments for part in env.done}
        for cluster in self._clusters.values():
            found |= {(cluster.where, part) for part in cluster.done}
        return found

    def _of_environment(
        self, environment: EnvironmentReport, topics: EnvironmentTopics
    ) -> Iterator[Observation]:
        taken: dict[str, set[str]] = {}
        others: dict[str, set[str]] = {}
        statements = self._statements(environment, topics)
        for each in _guarded(environment, environment.id, statements):
            taken.setdefault(each.seen.name.namespace, set()).add(each.seen.name.name)
            yield each
        for ksqldb in environment.ksqldb:
            others.setdefault(ksqldb.kafka_cluster, set()).update(groups_of(ksqldb))
            queries = self._queries(ksqldb, topics)
            yield from _guarded(environment, ksqldb.id, queries)
        for cluster in environment.clusters:
            names = {*cluster.connectors, *taken.get(cluster.namespace, ())}
            own = {group_of(each) for each in cluster.connectors.values()}
            of_others = own | others.get(cluster.id, set())
            for found in self._of_cluster(cluster, topics, of_others, names):
                yield from _guarded(environment, cluster.where, found)

    def _of_cluster(
        self,
        cluster: ClusterReport,
        topics: EnvironmentTopics,
        others: set[str],
        taken: set[str],
    ) -> Iterator[Iterator[Observation]]:
        groups = {text(each.group, "consumer_group_id"): each for each in cluster.groups}
        yield observe_connectors(ConnectorRules(cluster, topics.columns, groups, self._rows))
        yield observe_groups(cluster, others, taken)
        yield observe_links(cluster, self._clusters.get)
        yield observe_tables(cluster, _schemas(cluster, topics), topics.unread & {"schema"})

    def _statements(
        self, environment: EnvironmentReport, topics: EnvironmentTopics
    ) -> Iterator[Observation]:
        if environment.statements or environment.materialized:
            yield from observe_statements(FlinkTables(environment, topics.fields))

    def _queries(self, ksqldb: KsqlReport, topics: EnvironmentTopics) -> Iterator[Observation]:
        cluster = self._clusters.get(ksqldb.kafka_cluster)
        if cluster is not None:
            yield from observe_queries(ksqldb, cluster, topics.fields)


def _guarded(
    environment: EnvironmentReport, where: str, found: Iterator[Observation]
) -> Iterator[Observation]:
    """What is found, up to what nobody expects: that is a problem of the place, and the rest of it
    counts as not read, so that nothing of it is taken for gone."""
    try:
        yield from found
    except Exception as error:
        reason = f"something it lists is not understood ({type(error).__name__}: {error})"
        problem = PartProblem(environment.id, where, "a part", reason[:300], "please report it")
        environment.problems.append(problem)
        for cluster in environment.clusters:
            cluster.done.clear()
        environment.done.clear()


def _schemas(cluster: ClusterReport, topics: EnvironmentTopics) -> Mapping[str, Json]:
    """The schema facet of each topic that has a table."""
    names = (text(each, "spec", "display_name") for each in cluster.tables)
    found = {name: topics.facets(cluster, name).get("schema") for name in names}
    return {name: schema for name, schema in found.items() if schema}


def _is_topic(cluster: ClusterReport, name: str) -> bool:
    if reports.TOPICS not in cluster.done:
        # Which ones there are is not known; a table of Tableflow has its cluster before it.
        return not name.startswith(f"{cluster.id}.")
    return name in cluster.topics_by_name
