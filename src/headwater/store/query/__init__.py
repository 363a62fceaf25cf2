"""How queries are asked: compiled once, in pages, or in the database's own words."""
