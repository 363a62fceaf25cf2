"""What the API of LineageBridge is asked: graphs of nodes and edges, and newest events of jobs."""
