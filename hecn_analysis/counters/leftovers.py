"""Lines of known formats that no reader took: a format that none reads, or a block without its port, between others."""

from __future__ import annotations

import re
from bisect import bisect_right
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
        ("vmstat", ("vmstat",), r"r\s{1,4}b\s{1,4}(?:w\s{1,4}|avm\s|swpd\s).{0,120}\bsy\s{1,4}(?:cs\s|id)"),
        ("iostat", ("iostat",), r"(?:KB/t\s{1,8}(?:tps|xfr)\s|r/[si]\s{1,8}w/[si]\s{1,8}kr/[si]\s|Disks:\s{1,20}%)"),
        ("gstat", ("gstat",), r"L\(q\)\s{1,8}ops/s\s"),
        ("vnstat", ("vnstat",), r"(?:month|day|hour)?\s{1,24}rx\s{1,12}[|/]\s{1,12}tx\s{1,12}[|/]\s{1,12}total\b"),
        ("dstat", ("dstat",), r"(?:-{1,8}total-cpu-usage-|.{0,80}-{1,4}(?:net|dsk)/total-)"),
        ("collectl", ("collectl",), r"#.{0,80}\bKBIn\s{1,4}PktIn\s"),
        ("rrdtool info", ("rrdtool",), r"ds\[[\w-]{1,40}\]\.last_ds = "),
        ("typeperf", ("csv", "prtg", "pdh"), r'"\(PDH-CSV '),
        ("Get-NetAdapterStatistics", ("windows",), r"Name\s{1,60}ReceivedBytes\s"),
        ("netstat -e", ("windows",), r"(?:Interface Statistics\s{0,8}$|Bytes\s{4,40}\d{1,20}\s{2,24}\d{1,20}\s{0,8}$)"),
        ("entstat", ("entstat",), r"(?:Transmit|Packets: \d{1,20}) {2,60}(?:Receive|Packets: \d)"),
        ("netstat -i", ("netstat-i", "netstat-ib"), r"Name\s{1,12}M[Tt][Uu]\s{1,12}Network\s.{0,60}\bIpkts\s"),
        ("NIC statistics", ("ethtool",), r"NIC statistics:"),
        ("Junos", ("junos",), r"(?:Input|Output)\s{1,4}bytes\s{1,4}:\s{1,24}\d"),
    )
)
#: Lines of which each belongs to one row of counters or of rates: what is said, formats, table, and the line.
_ONE_EACH: Final = tuple(
    (said, formats, table, re.compile(_MARK + pattern))
    for said, formats, table, pattern in (
        ("ifconfig", ("ifconfig", "checkpoint-gaia", "fortios"), "samples", r"RX packets[: ]\s{0,8}\d"),
        ("ip -s link", ("ip-s-link",), "samples", r"RX: {1,8}bytes {1,16}packets {1,8}errors"),
        ("a switch", _SWITCHES, "samples", r"\d{1,20} packets input, {1,4}\d"),
        (
            "a switch",
            _SWITCHES,
            "rates",
            r"(?:\d{1,4} (?:second|minute)s? )?input rate:? \d[\d.]{0,15} ?[kMG]?b(?:its/sec|ps)",
        ),
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


def orphans(
    lines: Sequence[str], rows: Sequence[tuple[str, str, int]], named: Collection[int]
) -> Iterator[tuple[int, str]]:
    """Yield the first line of each kind of figures that belongs to none of the rows (format, table, line)."""
    # A row has its line at or above its figures; figures that no gap parts from others are of the same port.
    for said, formats, table, pattern in _ONE_EACH:
        own = sorted(line for form, of, line in rows if of == table and form.startswith(formats))
        if not any(form.startswith(formats) for form, _, _ in rows):
            continue
        own = sorted({*own, *named})
        before, gap, left = 0, 1, []
        for number, line in enumerate(lines, 1):
            if not line.strip("` \t>"):
                gap = number
            elif len(line) <= _LONGEST and pattern.match(line):
                if gap > before and bisect_right(own, number + 1) == bisect_right(own, before):
                    left.append((number, line))
                before = number
        if left:
            number, line = left[0]
            more = f" and {len(left) - 1} more such lines" if len(left) > 1 else ""
            yield number, f"found {line.strip()[:_SHOWN]!r}{more}, expected the port of {said} above; not read"
