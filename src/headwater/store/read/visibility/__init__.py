"""Which jobs and datasets are shown, and what hides them."""
