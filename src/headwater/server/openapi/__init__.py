"""The API document."""
