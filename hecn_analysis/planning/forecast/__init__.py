"""When a port will be full, and what planned changes do to that."""
