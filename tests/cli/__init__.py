"""The command line, as its users run it."""
