"""Marquez's PUT, POST and DELETE: edits of entities, and events of runs."""
