"""Events, their names, and the facts they state; pure, no I/O."""
