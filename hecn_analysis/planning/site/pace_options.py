"""The command that sets the pace of a transfer: an option of its tool, or else a queue at the sender's port."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Options by tool: the unit of the rate [bit/s], and whether it is that of each stream. Manuals of iperf3, nuttcp,
#: ascp, rsync, OpenSSH, curl, xrdcp and the AWS CLI, whose sizes are bytes, KiB (rsync) or kb/s (nuttcp, ascp, scp).
_OPTIONS: Final[Mapping[str, tuple[str, float, bool]]] = {
    "iperf3": ("iperf3 -b {}", 1, True),
    "nuttcp": ("nuttcp -R{}", 1e3, False),
    "aspera": ("ascp -l {}K", 1e3, False),
    "rsync": ("rsync --bwlimit={}", 8 * 1024, False),
    "scp": ("scp -l {}", 1e3, False),
    "hpn-scp": ("scp -l {}", 1e3, False),
    "sftp": ("sftp -l {}", 1e3, False),
    "http": ("curl --limit-rate {}", 8, False),
    "https": ("curl --limit-rate {}", 8, False),
    "xrootd": ("xrdcp --xrate {}", 8, False),
    "s3": ("aws configure set default.s3.max_bandwidth {}", 8, False),
}

#: Every connection of a Linux host through a port, tc-fq(8).
_QUEUE: Final = ("tc qdisc replace dev PORT root fq maxrate {}bit", 1.0, True)


def pace_command(tool: str, protocol: str, pace_bps: float, streams: int) -> str:
    """Command or option that holds all streams together to a pace, in whole units; empty if there is none."""
    if tool not in _OPTIONS and protocol not in {"tcp", "udp"}:
        return ""
    option, unit, is_of_stream = _OPTIONS.get(tool, _QUEUE)
    return option.format(int(pace_bps / (streams if is_of_stream else 1) / unit + 1e-6))
