"""Measures what an event costs the server, and says whether each target is met."""
