"""The lake: every event as it came, in files that are only ever added; and the way there."""
