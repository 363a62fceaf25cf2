"""Named ingestions: what each reads and keeps, when it runs, and who runs it."""
