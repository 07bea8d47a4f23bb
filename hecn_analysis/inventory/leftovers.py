"""Lines of known commands outside all outputs that were read: a lone line, or an output without its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hecn_analysis.parsing.cleaning.marks import FENCE

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
        ("/etc/os-release", r"PRETTY_NAME=\"\S"),
        ("dmidecode", r"(?:Product Name|Base Board Information|Locator|Configured Memory Speed)(?:: \S|$)"),
        (
            "ifconfig",
            r"(?:media: (?:Ethernet|autoselect)|[\w.-]{1,16}: flags=\d{1,12}<|[\w.-]{1,16}\s{1,9}Link encap:)",
        ),
        ("dmesg", r".{0,100}(?:NIC Link is (?:Up|Down)|available PCIe bandwidth, limited by)"),
        ("mii-tool", r"[\w.-]{1,16}: negotiated \d{2,5}base"),
        ("ethtool -g", r"(?:RX|TX):\s{1,8}\d{2,6}\s{0,8}$"),
        ("zpool status", r"(?:raidz[123]?|mirror)-\d{1,3}\s{1,12}(?:ONLINE|DEGRADED)"),
        ("Get-NetAdapter", r"(?:LinkSpeed|InterfaceDescription)\s{1,30}: \S"),
        ("lshw", r"\*-(?:network|memory|cpu|disk)(?::\d{1,3})?\s{0,8}$"),
        (
            "inxi",
            r"(?:CPU|Machine|Memory|Network|Drives):\s{1,8}(?:Info|Topology|System|RAM|Card|Device-1|Local Storage):",
        ),
        ("esxcli network nic list", r"vmnic\d{1,3}\s{1,12}\S"),
        ("storcli", r"\d{1,4}:\d{1,3}\s{1,8}\d{1,4} (?:Onln|UGood|Offln|Rbld|JBOD|GHS|DHS)\b"),
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
#: Commands whose lines are named only outside all outputs: those of others have such lines, too.
_OUTSIDE: Final = frozenset(
    {"ethtool -g", "/etc/os-release", "dmidecode", "ifconfig", "dmesg", "mii-tool", "zpool status"}
    | {"Get-NetAdapter", "storcli", "esxcli network nic list", "lshw", "inxi"}
)


#: Lines that say something of a host: a label with a figure, or a figure below a head.
_SAYS: Final = re.compile(r"[ \t>]{0,24}[A-Za-z][\w ()./#-]{1,40}?(?:[ \t]{0,40}[:=][ \t]{0,40}|[ \t]{2,40}).{0,60}?\d")
_CODE: Final = re.compile(
    r"[;{}]\s{0,8}$|^\s{0,8}(?:if|for|def|import|echo|sudo|export|apt|yum|docker|return)\b|\$[({]|/(?:s|sec)\b|\dbps"
)
_FEWEST: Final = 3


def blocks(lines: Sequence[str], read: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Yield the first line of each fenced block of labels and figures that nobody read, with what to say of it."""
    inside: list[tuple[int, str]] | None = None
    for number, line in enumerate(lines, 1):
        if FENCE.match(line) is None:
            if inside is not None:
                inside.append((number, line))
            continue
        if inside is not None and not any(at in read for at, _ in inside):
            said = [each for each in inside if len(each[1]) <= _LONGEST and _SAYS.match(each[1]) is not None]
            is_code = any(len(text) <= _LONGEST and _CODE.search(text) for _, text in inside)
            if len(said) >= _FEWEST and 2 * len(said) >= sum(bool(text.strip()) for _, text in inside) and not is_code:
                number_of_first, text = said[0]
                message = (
                    f"found {text.strip()[:_SHOWN]!r}, expected the output of a command that a reader knows; not read"
                )
                yield number_of_first, message
        inside = [] if inside is None else None


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
            if form is None or not (command in _OUTSIDE or form.startswith(own)):
                said.add(command)
                yield number, f"found {line.strip()[:_SHOWN]!r}, expected the output of {command} around it; not read"
