"""Pages for people: the web UI and the API document."""
