"""Answers about the graph: what is asked, what is shown, and the routes beside Marquez's."""
