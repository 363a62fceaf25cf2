"""Commands on a store itself: its database, lake and keys."""
