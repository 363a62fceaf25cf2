"""Lineage that is derived from SQL: of jobs, of queries in the place of tables, and how much is."""
