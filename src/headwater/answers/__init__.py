"""Questions that need store and graph together, answered without HTTP."""
