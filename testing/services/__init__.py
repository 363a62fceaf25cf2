"""Real services as local processes, each on a free port."""
