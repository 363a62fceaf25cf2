"""Maintaining a store: backups, checks, retention, and replacement."""
