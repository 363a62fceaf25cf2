"""Statements by kind: what each reads, writes and defines."""
