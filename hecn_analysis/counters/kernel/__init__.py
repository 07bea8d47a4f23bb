"""Readers of an operating system's own interface counters: /proc/net, ip, ifconfig, netstat, ethtool."""
