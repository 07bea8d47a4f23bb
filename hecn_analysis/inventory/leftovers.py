"""Lines of known commands outside all outputs that were read: a lone line, or an output without its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

_MARK: Final = r"[ \t>#*|]{0,24}"
_LINES: Final = tuple(
    (command, re.compile(_MARK + pattern))
    for command, pattern in (
        ("lscpu", r"(?:Model name|CPU\(s\)|Socket\(s\)|Thread\(s\) per core|NUMA node\d{1,4} CPU\(s\)):\s{1,40}\S"),
        ("/proc/cpuinfo", r"(?:model name|cpu MHz)\s{0,8}: \S"),
        ("/proc/meminfo", r"(?:MemTotal|MemAvailable|HugePages_Total):\s{1,40}\d"),
        ("lspci -vv", r"Lnk(?:Cap|Sta):\s.{0,40}Speed .{1,30}Width x\d"),
        ("ethtool", r"(?:Speed: \d{1,7} ?Mb/s|Duplex: (?:Full|Half)|Link detected: (?:yes|no))"),
        ("/proc/mdstat", r"md\d{1,4} : (?:in)?active"),
        ("smartctl", r"(?:Rotation Rate|User Capacity|Device Model|SATA Version is):\s{1,40}\S"),
        ("mdadm --detail", r"(?:Raid Level : \w|(?:Active|Working) Devices : \d)"),
        ("numactl -H", r"node \d{1,4} (?:size|cpus): ?\d"),
        ("sysctl", r"(?:net|vm|kernel|fs)\.[a-z_.0-9/-]{1,80} ?= ?\d"),
        ("ibstat", r"(?:Rate|Port state|Physical state|Link layer): \S"),
        ("ibv_devinfo", r"(?:active_mtu|active_speed|active_width):\s{1,24}\S"),
        ("nvme list", r"/dev/nvme\d{1,3}n\d{1,3}\s{1,24}\S"),
        (
            "lsblk",
            r"(?:sd[a-z]|vd[a-z]|nvme\d{1,3}n\d{1,3})\s{1,24}\d{1,4}:\d{1,4}\s{1,8}\d\s{1,8}\d[\d.,]{0,8}[KMGTP]\s",
        ),
        ("/proc/net/bonding", r"(?:Bonding Mode|Slave Interface|MII Status): \S"),
        ("lsscsi", r"\[\d{1,4}:\d{1,4}:\d{1,4}:\d{1,4}\]\s{1,8}(?:disk|cd/dvd|enclosu)"),
        ("ip link", r"\d{1,5}: [\w.@-]{1,40}: <[A-Z,_-]{0,200}> mtu \d"),
    )
)
_LONGEST: Final = 400
_SHOWN: Final = 60


#: Formats, by their beginnings, that may have such lines; below every other output such a line is another's.
_HAVE: Final[Mapping[str, tuple[str, ...]]] = {
    "lscpu": ("lscpu", "hwloc", "dmidecode"),
    "/proc/cpuinfo": ("proc-cpuinfo",),
    "/proc/mdstat": ("mdstat", "mdadm"),
    "/proc/net/bonding": ("proc-net-bonding", "ethtool"),
    "smartctl": ("smartctl", "hdparm", "storcli", "megacli", "arcconf", "ssacli", "hpacucli", "sas", "tw_cli", "areca"),
    "ibstat": ("ibstat", "mlxlink", "ibdev2netdev", "devlink"),
    "ethtool": ("ethtool", "mlxlink", "ip-link", "lshw"),
}


def leftovers(lines: Sequence[str], read: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Yield the first line of each command that no output of it has, with what to say of it."""
    # Lines that are named anyway have an empty format.
    said: set[str] = set()
    for number, line in enumerate(lines, 1):
        form = read.get(number)
        if form == "" or not line or len(line) > _LONGEST or not any(map(line.__contains__, ":=/")):
            continue
        for command, pattern in _LINES:
            if command in said or pattern.match(line) is None:
                continue
            own = _HAVE.get(command, (command.split()[0].rpartition("/")[2], "numactl", "ip-link"))
            if form is None or not form.startswith(own):
                said.add(command)
                yield number, f"found {line.strip()[:_SHOWN]!r}, expected the output of {command} around it; not read"
