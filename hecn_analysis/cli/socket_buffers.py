"""Which socket buffers a path needs, and the commands that allow them on Linux, FreeBSD and Windows.

Sources: Linux ``Documentation/networking/ip-sysctl.rst`` (tcp_rmem, tcp_wmem, their defaults of 6 and 4 MiB, and
tcp_adv_win_scale); FreeBSD tcp(4) (recvbuf_max, sendbuf_max, by default 2 MiB) and ``sbreserve`` in
``sys/kern/uipc_sockbuf.c``, which allows a buffer 8/9 of maxsockbuf; Microsoft, "Performance tuning network adapters"
(window scale 8 of the level normal, 14 of experimental). Twice the BDP on FreeBSD too is an engineer's judgment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from hecn_analysis.base import units
from hecn_analysis.limits.tcp_window import LARGEST_WINDOW

_MIB: Final = 2**20
_LINUX_DEFAULT: Final = 4 * _MIB
_FREEBSD_DEFAULT: Final = 2 * _MIB
_WINDOWS_NORMAL: Final = 65535 * 2**8
_LARGEST: Final = 2**31 - 1  # of an int, as Linux keeps it


def lines(bdp_bytes: float, streams: float) -> Iterator[str]:
    """Yield the commands that give each stream a window of its share of the BDP."""
    share = bdp_bytes / streams
    each = "" if streams == 1 else f" of each of {streams:.0f} streams"
    of_bdp = "the BDP" if streams == 1 else "its share of the BDP"
    yield f"Window to set{each}: at least {units.format_bytes(share)}, {of_bdp}."
    if share > LARGEST_WINDOW:
        least = math.ceil(bdp_bytes / LARGEST_WINDOW)
        yield f"No window is larger than 1 GiB (RFC 7323): use {least} streams or more."
        return
    space = min(2 ** math.ceil(math.log2(2 * share)), _LARGEST)
    size = f"{math.ceil(space / _MIB)} MiB"
    if space > _LINUX_DEFAULT:
        yield f"About half of a Linux buffer is window: allow {size} on both hosts, and let the kernel tune (no -w)."
        yield f"  Linux    sysctl -w net.ipv4.tcp_rmem='4096 131072 {space}' net.ipv4.tcp_wmem='4096 65536 {space}'"
    else:
        yield "  Linux    the defaults suffice: buffers of up to 6 MiB (tcp_rmem) and 4 MiB (tcp_wmem)"
    if space > _FREEBSD_DEFAULT:
        sizes = f"net.inet.tcp.recvbuf_max={space} net.inet.tcp.sendbuf_max={space}"
        yield f"  FreeBSD  sysctl kern.ipc.maxsockbuf={2 * space} {sizes}"
    else:
        yield "  FreeBSD  the defaults suffice: buffers of up to 2 MiB"
    if share > _WINDOWS_NORMAL:
        yield "  Windows  netsh int tcp set global autotuninglevel=experimental (up to 1 GiB; normal ends at 16 MiB)"
    else:
        yield "  Windows  netsh int tcp set global autotuninglevel=normal (the default: up to 16 MiB)"
    if space > _LINUX_DEFAULT:
        limits = f"net.core.rmem_max and wmem_max of {space}"
        yield f"On Linux, a program that sets its own window (iperf3 -w) needs {limits}."
