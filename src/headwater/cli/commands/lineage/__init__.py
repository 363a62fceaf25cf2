"""Commands that answer from the graph."""
