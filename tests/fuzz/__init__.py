"""Requests that nobody sends on purpose, by the thousand, and what becomes of a server."""
