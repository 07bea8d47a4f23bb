"""Plans of tests: which cells, how many repeats, which commands, and what to test next."""
