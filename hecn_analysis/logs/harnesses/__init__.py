"""Readers of programs that run other tools."""
