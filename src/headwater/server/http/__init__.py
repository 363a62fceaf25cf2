"""What every route shares: protocol, keys, bodies, responses, errors."""
