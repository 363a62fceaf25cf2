"""Streams of Amazon Kinesis: access, shards, reading in tasks, and the feed that plans batches."""
