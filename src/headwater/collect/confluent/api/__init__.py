"""What each API of Confluent Cloud says: one module an API; nothing is understood here."""
