"""Readers of what graphing programs keep and export: MRTG, PRTG, RRDtool, Cacti, collectd."""
