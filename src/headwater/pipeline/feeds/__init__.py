"""Where events come from: Kafka's topics and files that grow."""
