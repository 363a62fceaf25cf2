"""Orders in Kafka, Spark's streams and a batch job, tables of Iceberg: `python -m labs.spark`."""
