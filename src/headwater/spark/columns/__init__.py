"""What the columns of a plan are made of: from Spark's operators and expressions to facets."""
