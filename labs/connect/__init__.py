"""`make lab-connect`: connectors that write through Kafka to S3 and Iceberg, in one graph."""
