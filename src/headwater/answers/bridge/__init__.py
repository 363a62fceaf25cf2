"""What LineageBridge's API answers: graphs of nodes and edges, and the newest events of jobs."""
