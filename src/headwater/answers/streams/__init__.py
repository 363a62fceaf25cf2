"""Answers about streams: what they did over time, and how much passes through nodes."""
