"""HTTP: taking in events, and reading what is known."""
