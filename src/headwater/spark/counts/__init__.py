"""What Spark counts of streams and writes: rows, bytes, and what is yet to read."""
