"""Makes events: `full` with all the spec requires, `minimal` with little, `history` a line each."""
