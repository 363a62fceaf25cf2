"""Events that others recorded."""
