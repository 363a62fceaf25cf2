"""Confluent Cloud and the catalogs beside it, as LineageBridge's documents name them; no I/O.

The contract between what is collected (`collect/confluent`) and what the compatible API shows:

- Datasets: a topic is `confluent://ENV/CLUSTER`, `TOPIC`: there is no cluster in its OpenLineage
  name. What a generator reads is `DatagenSource` there, an external dataset. A Tableflow table is
  in the same namespace under `CLUSTER.TOPIC`. Tables of catalogs are `databricks://WORKSPACE`,
  `aws://REGION/DATABASE` and `google://PROJECT/DATASET`. Whatever has another namespace is an
  external dataset. `names` makes node ids of these, and back.
- Jobs are in `confluent://ENV/CLUSTER` too; `jobType.integration` is CONFLUENT and
  `jobType.jobType` one of `job_kinds`, which gives the node's type. Jobs of the kinds TABLEFLOW and
  CLUSTER_LINK are no nodes: each of their inputs has an edge to each of their outputs
  (MATERIALIZES, TRANSFORMS). One of the kind EXTRACTION has neither node nor edges: it says in
  `headwater_gaps` what of an environment could not be read.
- A connector, query or statement: input -> job and job -> output. Source connectors PRODUCE, sinks
  and consumer groups CONSUME, ksqlDB and Flink TRANSFORM; `job_kinds` has the rule.
- What is seen of a job is one run, COMPLETE (FAIL where its connector, query or statement failed),
  with a run id of its own for each state that was seen. What is seen of a dataset is a
  DatasetEvent.
- Facets are Headwater's own, with `_producer` and `_schemaURL`; `facets` has their names and keys.
- `schema_registry.subjects` of a topic are its schemas (node `confluent:schema:ENV:SUBJECT`, edge
  HAS_SCHEMA); `confluent_consumer_group.members` of a group its members (node
  `confluent:consumer_group:ENV:CLUSTER/GROUP/MEMBER`, edge MEMBER_OF).
- The topic of a cluster has its Kafka name (`kafka://BOOTSTRAP`) as a TABLE symlink. The documented
  name of a connector's database table (`jdbc://HOST:PORT`, `TABLE`) may mean several tables, so it
  is no symlink: calls accept it where it means one (`data_sources.jdbc_name`).
- `headwater.collect.confluent.extract(request, report)` reads an account and yields events;
  `request` is a `ConfluentSettings`, `report` is called with each line of progress.
"""
