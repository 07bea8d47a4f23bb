"""When a port will be full, and how planned changes move that date."""
