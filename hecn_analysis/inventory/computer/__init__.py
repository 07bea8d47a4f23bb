"""Readers of what describes a computer: processors, memory, slots, settings of the kernel."""
