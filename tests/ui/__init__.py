"""The web UI in a real browser."""
