"""What collectors of data catalogs share: the shape of what these say, its events, what changed.

A catalog is a folder beside this one. Its `fetch` asks, its `translate` gives tables and jobs in
the shape of `entries`, and this package does all else.
"""
