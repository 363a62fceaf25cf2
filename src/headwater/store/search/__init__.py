"""Search: the index that writers fill, and the queries over it."""
