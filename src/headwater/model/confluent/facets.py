"""The names of the facets that are Confluent's own, and what is in each."""

TOPIC = "confluent_kafka"
"""Of a topic: cluster_id, environment_id, partitions, replication_factor, tags, and beside what is
documented cluster_name, environment_name, is_internal, configs, owner, business_metadata, mirror,
metrics."""

CONNECTOR = "confluent_connector"
"""Of a connector's job: connector_class, connector_type, cluster_id, environment_id, and beside
what is documented connector_id, state, tasks, config (without secrets), dead_letter_topic,
metrics."""

KSQLDB_QUERY = "confluent_ksqldb"
"""Of a query's job: ksqldb_cluster_id, ksqldb_cluster_name, query_id, query_type, state,
cluster_id, environment_id."""

FLINK_STATEMENT = "confluent_flink"
"""Of a statement's job: statement, compute_pool_id, compute_pool_name, state, detail, principal,
region, cloud, cluster_id, environment_id."""

CONSUMER_GROUP = "confluent_consumer_group"
"""Of a group's job: group_id, state, is_simple, partition_assignor, members ([{consumer_id,
client_id, instance_id}]), lag ({topic: messages}), total_lag, cluster_id, environment_id."""

TABLEFLOW = "confluent_tableflow"
"""Of a Tableflow table: topic, table_formats, storage_kind, table_path, phase, suspended,
catalog_integrations, cluster_id, environment_id."""

CLUSTER_LINK = "confluent_cluster_link"
"""Of a link's job: link_name, link_mode, source_cluster_id, destination_cluster_id,
mirror_status."""
