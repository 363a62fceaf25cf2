"""A graph in the formats of other tools."""
