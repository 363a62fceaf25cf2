"""Counting: how many, how much, how often."""
