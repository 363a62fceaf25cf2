"""Servers that speak the documented protocol of a system which cannot run where they are used."""
