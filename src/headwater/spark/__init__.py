"""Lineage of PySpark programs, told by themselves: streams and batch jobs, by column."""
