"""Traffic of ports: rates from counter readings, utilisation from rates, and the comparison of both with tool runs.

`rates.rates` makes rates of readings, with a flag each; `utilisation` puts them on equal slots and gives percentiles,
volumes, busy hours and profiles; `speeds` doubts the speeds that they are held to; `reconcile` lines runs of tools up
with them; `service_levels` judges by an agreement; `bulk` does the first two for Parquet files too large for memory.
Nothing here reads a format or knows a host.
"""
