"""Recordings of SNMP agents as snmpsim keeps them (.snmprec): ``OID|tag|value``, a variable a line.

Versions: snmpsim 0.2 to 1.x, LibreNMS's test data; also sapwalk's ``OID,TYPE,value``.

Units and traps
---------------
- Tags are the numbers of ASN.1: 2 INTEGER, 4 OCTET STRING, 6 OID, 64 IpAddress, 65 Counter32, 66 Gauge32, 67 TimeTicks
  (hundredths of seconds), 70 Counter64. "x" behind it: the value is hexadecimal; "e": with Python's escapes.
- A tag with a colon (65:numeric) names a module of snmpsim that makes the value when it is asked for: not a reading,
  left out and told.
- There is no time but the agent's own clock. Other units are as in `snmp`.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.snmp.objects import OBJECTS, Readings, Value
from hecn_analysis.files.documents import Document

FORMATS: Final = ("snmprec",)
VERSIONS: Final = "snmpsim 0.2 to 1.x, LibreNMS"
WHOLE: Final = True

_LINE: Final = re.compile(
    r"\.?(?P<oid>[012](?:\.\d{1,10}){3,128})\|(?P<tag>\d{1,3})(?P<form>[xe]?)(?P<module>:\S{1,40})?\|(?P<value>.*)$"
)
_SAPWALK: Final = re.compile(
    r"\.?(?P<oid>[012](?:\.\d{1,10}){3,128}),\s?(?P<type>TimeTicks|OctetString|ObjectID|Integer|Counter64|Counter|Gauge|IPAddress|"
    r"OCTETS|INTEGER|COUNTER|COUNTER64|GAUGE|TIMETICKS|IPADDRESS|OBJECTID|DisplayString),\s?(?P<value>.*)$"
)
_COMMENT: Final = "#"
_FIRST_LINES: Final = 50
_ESCAPED: Final = re.compile(r"\\(?:x(?P<octet>[0-9A-Fa-f]{2})|(?P<letter>.))")
_LETTERS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def recognises(document: Document) -> bool:
    """Whether the first line that is neither empty nor a comment is a variable."""
    for line in document.lines[:_FIRST_LINES]:
        if line.strip() and not line.startswith(_COMMENT):
            return _LINE.match(line) is not None or _SAPWALK.match(line) is not None
    return False


def read(document: Document, findings: CounterFindings) -> None:
    """Read the variables line by line."""
    findings.format = "snmprec"
    readings = Readings(findings)
    made = odd = 0
    for number, line in enumerate(document.lines, 1):
        match = _LINE.match(line)
        if match is None:
            match = _SAPWALK.match(line)
            if match is not None:
                _put(readings, match["oid"], Value(match["value"].strip().strip('"'), number))
            elif line.strip() and not line.startswith(_COMMENT):
                odd += 1
                if odd == 1:
                    last = number == len(document.lines)
                    findings.problem(
                        number,
                        "truncated" if last else "malformed",
                        f"found {line.strip()[:80]!r}, expected 'OID|tag|value'; such lines are left out",
                    )
            continue
        if match["module"]:
            made += match["oid"].rpartition(".")[0] in OBJECTS
            if made == 1:
                findings.problem(
                    number,
                    "ambiguous",
                    f"found a value that snmpsim makes ({match['tag']}{match['module']}), expected a recorded one; "
                    "such values are left out",
                )
                made += 1
            continue
        text = _octets(match["value"]) if match["form"] == "e" else match["value"]
        _put(readings, match["oid"], Value(text, number, octets=bool(match["form"])))
    readings.finish()
    findings.facts.setdefault("n_interfaces", len(findings.interfaces))


def _octets(escaped: str) -> str:
    r"""Octets with escapes in hexadecimal."""
    plain = _ESCAPED.sub(
        lambda match: (
            chr(int(match["octet"], 16)) if match["octet"] else _LETTERS.get(match["letter"], match["letter"])
        ),
        escaped,
    )
    return plain.encode("latin-1", "replace").hex()


def _put(readings: Readings, oid: str, value: Value) -> None:
    prefix, _, instance = oid.rpartition(".")
    readings.put(prefix, instance, value)
