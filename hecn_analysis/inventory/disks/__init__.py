"""Readers of what describes drives, arrays and their controllers."""
