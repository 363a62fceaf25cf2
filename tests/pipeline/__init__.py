"""Tests of the way of many events."""
