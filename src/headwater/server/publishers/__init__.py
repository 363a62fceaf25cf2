"""Publishers that run by themselves, and pushes that are requested."""
