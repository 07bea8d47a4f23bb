"""Storage: disks, solid-state disks, arrays of them, how they are attached, and the host's page cache before them."""

from hecn_analysis.limits.storage.attachment import attachment_bps, coded_bps, coded_port_bps, enclosure, link_bps
from hecn_analysis.limits.storage.disk_array import (
    raid,
    raid_random_read_bps,
    raid_read_bps,
    raid_write_bps,
    rebuild_s,
)
from hecn_analysis.limits.storage.page_cache import buffered_read_bps, buffered_write_bps, journal_bps, pagecache
from hecn_analysis.limits.storage.partial_stripe import partial_write_s
from hecn_analysis.limits.storage.rotating_disk import (
    access_s,
    disk,
    interleaved_bps,
    random_bps,
    whole_disk_bps,
    zone_bps,
)
from hecn_analysis.limits.storage.solid_state import filled_bps, outstanding_bps, ssd, write_amplification

__all__ = [
    "access_s",
    "attachment_bps",
    "buffered_read_bps",
    "buffered_write_bps",
    "coded_bps",
    "coded_port_bps",
    "disk",
    "enclosure",
    "filled_bps",
    "interleaved_bps",
    "journal_bps",
    "link_bps",
    "outstanding_bps",
    "pagecache",
    "partial_write_s",
    "raid",
    "raid_random_read_bps",
    "raid_read_bps",
    "raid_write_bps",
    "random_bps",
    "rebuild_s",
    "ssd",
    "whole_disk_bps",
    "write_amplification",
    "zone_bps",
]
