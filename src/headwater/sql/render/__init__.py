"""Results as others read them: JSON, OpenLineage, Mermaid."""
