"""What was read of an account, as events: one module for each kind of thing; no I/O."""
