"""Comparison of two sets of runs, and of tools on the cells of a test matrix."""
