"""Real OpenLineage clients against a running server."""
