"""A scene that really runs: orders in files, a stream that cleans them, a job that sums up."""
