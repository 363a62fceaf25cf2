"""The one builder of OpenLineage events, and the one bounded background sender."""
