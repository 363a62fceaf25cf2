"""How much, by whom, how often, and what is different: questions Marquez has no answer to."""
