"""How commands print: tables, trees, progress, times."""
