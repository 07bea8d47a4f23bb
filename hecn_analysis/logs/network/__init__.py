"""Readers of tests of network throughput and latency."""
