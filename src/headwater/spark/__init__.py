"""Lineage of PySpark programs, told by themselves: streams and batch jobs, by column."""

from headwater.spark.listening import Listening, listen

__all__ = ["Listening", "listen"]
