"""Answers about the graph: the parameters, what is shown, and the routes beside Marquez's."""
