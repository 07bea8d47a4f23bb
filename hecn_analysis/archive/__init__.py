"""The archive of results: its files, the log of what was added to them, the store, and selections of its rows."""
