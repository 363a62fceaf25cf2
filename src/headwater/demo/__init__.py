"""The bundled example: the events of a small shop's pipeline, made to end at any given time."""
