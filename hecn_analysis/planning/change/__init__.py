"""Changes to a host, a path or a tool, and what each would gain."""
