"""What needs somebody: over everything, and upstream of a node."""
