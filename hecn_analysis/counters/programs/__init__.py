"""Readers of programs that print rates as they run: sar, iostat, vmstat, ifstat and others."""
