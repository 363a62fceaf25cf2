"""Health of jobs and datasets, from their past."""
