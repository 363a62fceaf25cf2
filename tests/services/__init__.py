"""Real services as local processes, for tests and benchmarks."""
