"""LineageBridge's API over the one store: the documented paths, parameters and shapes."""
