"""Reading nouns: one module each, with what all of them share."""
