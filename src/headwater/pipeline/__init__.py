"""Bulk ingest: events into the lake and the store, and rebuilding a store from the lake."""
