"""The bundled example."""
