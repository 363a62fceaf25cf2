"""`make lab-flink`: Kafka, Flink, Iceberg and Spark, in one graph while they run."""
