"""What walks read: who uses what as of a time, and the executions of jobs."""
