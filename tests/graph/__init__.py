"""Lineage derived when read, over rows in memory and in both databases."""
