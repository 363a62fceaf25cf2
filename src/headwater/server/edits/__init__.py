"""Edits: what people write, as events."""
