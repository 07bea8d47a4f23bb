"""Lines of known formats in a file none of whose readers reads that format, such as a table without its first line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

_MARK: Final = r"^[ \t>#*|]{0,24}"
_SWITCHES: Final = (
    "cisco",
    "arista",
    "brocade",
    "huawei",
    "comware",
    "junos",
    "procurve",
    "aruba",
    "fortios",
    "port-tables",
)
#: What is said of the lines, the beginnings of the formats that have them, and the lines.
_LINES: Final = tuple(
    (said, formats, re.compile(_MARK + pattern))
    for said, formats, pattern in (
        ("ifconfig", ("ifconfig", "checkpoint-gaia"), r"RX (?:packets|bytes)[: ]\s{0,8}\d"),
        ("ip -s link", ("ip-s-link",), r"RX: {1,8}bytes "),
        (
            "/proc/net/dev",
            ("proc-net-dev",),
            r"(?:Inter-\|\s{1,8}Receive|[\w.@-]{1,20}:\s{0,12}\d{1,20}(?:\s{1,12}\d{1,20}){15}\s*$)",
        ),
        ("snmpwalk", ("snmp",), r".{1,100} = Counter(?:32|64): ?\d"),
        ("a switch", _SWITCHES, r"(?:\d{1,20} packets input, \d|.{0,60}(?:input|output) rate \d{1,15} bits/sec)"),
        ("iftop -t", ("iftop",), r"Total (?:send|receive) rate:\s{1,40}\d"),
        ("iostat", ("iostat",), r"Device:?\s{1,24}(?:rrqm/s|r/s|tps)\s"),
        ("vmstat", ("vmstat",), r"procs -{2,24}memory"),
        ("sar -n DEV", ("sar", "sadf"), r".{0,24}\sIFACE\s{1,12}rxpck/s"),
        ("mpstat", ("mpstat", "sar"), r".{0,24}\sCPU\s{1,12}%usr\s"),
        ("netstat -i", ("netstat-i",), r"Iface\s{1,12}M[Tt][Uu]\s{1,8}(?:Met\s{1,8})?RX-OK"),
        ("ethtool -S", ("ethtool",), r"[rt]x_(?:bytes|packets|octets): \d"),
        ("netstat -s", ("netstat-s", "nstat"), r".{0,80}\d{1,14} segments? retransmi"),
        ("zpool iostat", ("zpool",), r"(?:pool|vdev)\s{1,200}(?:alloc|used)\s{1,8}(?:free|avail)\s{1,8}read"),
        ("monitor-traffic", ("routeros",), r"rx-bits-per-second:\s{1,16}\d"),
    )
)
_LONGEST: Final = 400
_SHOWN: Final = 60


def leftovers(lines: Sequence[str], formats: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield the first line of each format that is not among those that were read, with what to say of it."""
    waiting = [each for each in _LINES if not any(form.startswith(each[1]) for form in formats)]
    for number, line in enumerate(lines, 1):
        if not line or len(line) > _LONGEST:
            continue
        for each in waiting:
            if each[2].match(line):
                yield number, f"found {line.strip()[:_SHOWN]!r}, expected counters of {each[0]} around it; not read"
                waiting = [other for other in waiting if other is not each]
                break
