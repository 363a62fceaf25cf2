"""Reports about tags."""
