"""Tests of what is collected from other systems."""
