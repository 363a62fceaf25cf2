"""Marquez's PUT, POST and DELETE: what persons say as edits, what runs do as events."""
