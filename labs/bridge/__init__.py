"""`make lab-bridge`: an account of Confluent Cloud through LineageBridge's API, in one graph."""
