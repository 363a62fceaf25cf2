"""How queries are run: compiled once, in pages, or in the database's own words."""
