"""The JSON of Marquez's API, and examples of it."""
