"""Walks over the facts: lineage up and down, by column, as of any time; pure over a `Reader`."""
