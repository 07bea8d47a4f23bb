"""Readers of tests of disks and file systems."""
