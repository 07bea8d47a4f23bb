"""Traffic of ports: rates from counter readings, utilisation from rates, and the comparison of both with tool runs.

`rates.rates` computes flagged rates from readings; `utilisation` puts them on equal slots and computes percentiles,
volumes, busy hours and profiles; `speeds` checks the stated speeds; `reconcile` compares runs of tools with the rates;
`service_levels` judges by an agreement; `bulk` does the first two for Parquet files too large for memory. No module
here reads a file format or knows hosts.
"""
