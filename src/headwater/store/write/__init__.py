"""Writing facts: one writer, one transaction for many events, and the outbox of the lake."""
