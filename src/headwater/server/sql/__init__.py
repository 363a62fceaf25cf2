"""`/sql/lineage`: the lineage of SQL texts."""
