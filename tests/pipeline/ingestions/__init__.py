"""Tests of named ingestions."""
