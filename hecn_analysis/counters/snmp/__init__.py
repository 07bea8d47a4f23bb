"""Readers of SNMP walks, tables and recordings."""
