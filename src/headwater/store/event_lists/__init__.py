"""Lists of events as they were received: those of a time or a run, and sets under a name."""
