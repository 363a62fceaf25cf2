"""What the model makes of events: pure functions, no services."""
