"""The shared parts that tests, labs and bench start, send and wait with."""
