"""Marquez's HTTP API: its paths, parameters and shapes, one module a noun."""
