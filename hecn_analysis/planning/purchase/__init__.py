"""The cheapest parts that reach a throughput."""
