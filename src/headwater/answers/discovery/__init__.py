"""What a Kafka cluster has and nobody documented: topics, groups and connectors."""
