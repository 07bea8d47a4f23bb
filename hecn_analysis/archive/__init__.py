"""The archive of results: its files, the log of additions, the store, and selections of its rows."""
