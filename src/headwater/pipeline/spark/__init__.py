"""Spark's sessions: made from settings, here or on a cluster, ended with all they started."""
