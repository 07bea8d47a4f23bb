"""Physics of data transfers: limits as pure functions of numbers or arrays.

One module a phenomenon, its functions named by what they return (``raw_bps``, ``goodput_bps``). On top of them, one
*figure function* a kind returns all figures of ``hecn limits KIND`` under their public names; :data:`KINDS` lists them.
The command line builds its options from the signatures of these functions, and its help from their docstrings.

:func:`explain` shows how a figure comes about, from the raw rate on, and why a measurement may be above it.

Everything is in SI: bit/s, bytes, seconds, fractions. For every function, numbers give Python floats, arrays give
arrays, broadcast as numpy does, and NaN gives NaN in its own element. An impossible value (a negative size, an unknown
name) raises :class:`hecn_analysis.RangeError`; a possible value outside the range of a formula gives its value and a
:class:`hecn_analysis.ValidityWarning`.
"""

from collections.abc import Callable
from typing import Any, Final

from hecn_analysis.limits.bundle import lag
from hecn_analysis.limits.explanation import explain
from hecn_analysis.limits.framing import ethernet
from hecn_analysis.limits.infiniband_link import infiniband
from hecn_analysis.limits.memory_bus import memory
from hecn_analysis.limits.network_card import nic
from hecn_analysis.limits.optical_carrier import atm, sonet
from hecn_analysis.limits.pci_express import pcie
from hecn_analysis.limits.pci_x import pcix
from hecn_analysis.limits.processor import cpu
from hecn_analysis.limits.request_response import requests
from hecn_analysis.limits.socket_links import interconnect
from hecn_analysis.limits.storage import disk, enclosure, pagecache, raid, ssd
from hecn_analysis.limits.switch_buffer import buffer
from hecn_analysis.limits.tcp_figures import tcp

__all__ = [
    "KINDS",
    "atm",
    "buffer",
    "cpu",
    "disk",
    "enclosure",
    "ethernet",
    "explain",
    "infiniband",
    "interconnect",
    "lag",
    "memory",
    "nic",
    "pagecache",
    "pcie",
    "pcix",
    "raid",
    "requests",
    "sonet",
    "ssd",
    "tcp",
]

KINDS: Final[dict[str, Callable[..., dict[str, Any]]]] = {
    function.__name__: function
    for function in (
        pcie,
        pcix,
        nic,
        ethernet,
        atm,
        sonet,
        infiniband,
        lag,
        buffer,
        tcp,
        raid,
        disk,
        ssd,
        enclosure,
        pagecache,
        cpu,
        memory,
        interconnect,
        requests,
    )
}
"""Kind of ``hecn limits`` -> its figure function."""
