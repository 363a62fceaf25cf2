"""The only place with SQL: the engine, the tables, writing facts, reading nouns."""
