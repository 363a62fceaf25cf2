"""Commands that bring events in."""
