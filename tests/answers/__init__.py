"""Tests of questions that need store and graph together."""
