"""The way of many events: into the lake, and from it into a store anew."""
