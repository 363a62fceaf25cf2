"""Text -> statements as trees: dialects, templates, limits."""
