"""The HTTP API, through a socket, on both databases."""
