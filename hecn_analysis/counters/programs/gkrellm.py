"""What gkrellmd, the server of GKrellM, sends to those that look at it, recorded from its port 19150.

Versions: gkrellmd 2.1 to 2.3.

Units and traps
---------------
- Sections begin with their name ("<net>"), lines follow: name, octets received, octets sent, in all since the host
  started. An interface whose counters have not changed is not sent again.
- "<time>" is the server's local time: second, minute, hour, day, month from 0, year from 1900. It is sent seldom: only
  the first readings behind it have a time.
- GKrellM itself keeps no history of octets. What it draws ends at 2**31 - 1 bytes a second (17.18 Gb/s): a rate that
  stands there gets the flag ``ceiling``, here and in every file that names GKrellM and gives rates.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import local_time, width
from hecn_analysis.files.documents import Document
from hecn_analysis.traffic.rates import DISPLAY_CEILINGS

FORMATS: Final = ("gkrellmd",)
VERSIONS: Final = "gkrellmd 2.1 to 2.3"
WHOLE: Final = True

_SECTION: Final = re.compile(r"</?(?P<name>[a-z_]{1,40})>\s*")
_ROW: Final = re.compile(r"(?P<name>\S{1,32}) (?P<in>\d{1,20}) (?P<out>\d{1,20})\s*")


def recognises(document: Document) -> bool:
    """Whether it begins with the server's greeting or a section, and has one of interfaces."""
    return bool(_SECTION.match(document.start) and re.search(r"^<net>\n\S+ \d+ \d+\s*$", document.text, re.MULTILINE))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the counters of all interfaces."""
    findings.format = "gkrellmd"
    findings.ceiling_bps = DISPLAY_CEILINGS["gkrellm"]
    section, host = "", None
    time: float | None = None
    for line, text in enumerate(document.lines, 1):
        if match := _SECTION.fullmatch(text):
            section = match["name"]
            if section != "net":
                time = None if section == "cpu" else time
        elif section == "hostname" and text.strip():
            host = text.strip()
        elif section == "time":
            time = _time(text, line, findings)
        elif section == "net" and (row := _ROW.fullmatch(text)):
            octets = {"in_octets": int(row["in"]), "out_octets": int(row["out"])}
            findings.sample(
                line=line, host=host, interface=row["name"], time=time, counter_bits=width(octets), **octets
            )


def _time(text: str, line: int, findings: CounterFindings) -> float | None:
    words = text.split()
    if len(words) < 6 or not all(word.isdecimal() for word in words[:6]):
        return None
    second, minute, hour, day, month, year = (int(word) for word in words[:6])
    try:
        return local_time(findings, line, datetime(year + 1900, month + 1, day, hour, minute, second))  # noqa: DTZ001 - local
    except ValueError:
        return None
