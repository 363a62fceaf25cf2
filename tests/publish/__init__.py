"""Tests of what is published to other backends."""
