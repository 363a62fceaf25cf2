"""Several real processes at once."""
