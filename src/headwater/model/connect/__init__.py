"""What is known of Kafka Connect's connectors: their datasets, names and runs."""
