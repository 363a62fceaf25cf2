"""What tests, labs and bench share: services, events, load, waiting. Imports none of them."""
