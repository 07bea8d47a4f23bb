"""hecn-analysis."""
