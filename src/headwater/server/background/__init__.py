"""Work that a server does beside requests."""
