"""Readers of what describes network interfaces."""
