"""Plain values and how they are written: ids, instants, stamps, JSON text, arrays."""
