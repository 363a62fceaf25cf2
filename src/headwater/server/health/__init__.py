"""`/health`: jobs and datasets judged against their own past."""
