"""Hosts put together from the facts of their outputs."""
