"""Looking after a store: backups, checks, retention, and putting another in its place."""
