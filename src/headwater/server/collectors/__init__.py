"""Collectors that run in this server or beside it: their states, and a pass on request."""
