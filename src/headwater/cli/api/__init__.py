"""Speaking to a server: the client, and finding the node that a name means."""
