"""Alembic's scripts: forward only, named by what they do."""
