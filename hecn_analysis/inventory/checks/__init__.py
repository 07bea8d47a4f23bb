"""Checks of a captured host: settings and parts that cost throughput."""
