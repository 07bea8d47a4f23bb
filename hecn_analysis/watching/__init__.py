"""Watching results as they come: when a series of transfers changed, by how much, and what changed with it."""
