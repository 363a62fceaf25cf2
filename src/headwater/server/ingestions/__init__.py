"""Ingestions by name: configuration, state, a check, and a run on request."""
