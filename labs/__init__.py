"""Labs: real brokers and engines on this machine, told in one graph, from end to end."""
