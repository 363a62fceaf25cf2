"""LineageBridge's API, as its documents promise it."""
