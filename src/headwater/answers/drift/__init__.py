"""Drift: where what is declared of jobs and what their runs observe differ."""
