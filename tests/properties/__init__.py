"""Properties: whatever the order, number and grouping of events, the rows are the same."""
