"""Readers of monitoring systems: Prometheus, InfluxDB, ESnet's Stardust and metric lines."""
