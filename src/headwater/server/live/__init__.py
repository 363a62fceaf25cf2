"""The stream of what changed, for pages that are open."""
