"""Physics of data transfers: limits as pure functions of numbers or arrays."""
