"""Properties of runs: their rate, their circumstances, and which runs repeat one test."""
