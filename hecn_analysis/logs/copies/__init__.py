"""Readers of programs that copy files over a network."""
