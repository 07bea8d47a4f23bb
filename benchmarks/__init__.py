"""Paired benchmarks against peers that do the same job; `make bench` runs them."""
