"""Output of snmpwalk, snmpbulkwalk, snmpget and snmpbulkget in any form that -O gives it.

Versions: Net-SNMP 5.x, UCD-SNMP 4.x, SnmpWalk of SnmpSoft for Windows ("OID=…, Type=…, Value=…"), and walks of SAP
("1.3.6.1.2.1.1.5.0 , OctetString , name").

Units and traps
---------------
- Forms of the name: IF-MIB::ifDescr.1 or ifDescr.1 (-Os), .1.3.6.1… (-On), iso.3.6.1… (without MIBs),
  IF-MIB::ifDescr[1] (-OX), the whole path in words (-Of) or without its beginning (-Ou), SNMPv2-SMI::mib-2.2.2.1.10.1
  (without IF-MIB).
- Forms of the value: "= TYPE: value", "= value" (-OQ), or the value behind one blank (-Oq); names of numbers as up(1),
  1 (-Oe) or up (-Oq); times as (155345) 0:25:53.45, 155345 (-Ot) or 0:0:25:53.45 (-Oq); octets over several lines, with
  their text in brackets (-OT).
- Values without names (-Ov) say nothing: such a file is not recognised.
- Lines that are no variable (command lines, warnings about MIBs, "Timeout: No Response from …") are passed over; an
  agent that stopped to answer is a problem. A line that is a date (of `date`, or seconds since 1970) is the time of the
  variables after it, in the zone that it names. Other units are as in `snmp`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import zoned_time
from hecn_analysis.counters.snmp.objects import NODES, OBJECTS, Readings, Value
from hecn_analysis.files.documents import Document

FORMATS: Final = ("snmpwalk", "snmpwalk-hostres")
VERSIONS: Final = "Net-SNMP 5.x, UCD-SNMP 4.x, SnmpSoft's SnmpWalk 1.x, walks of SAP"
WHOLE: Final = False

_TYPES: Final = (
    r"STRING|INTEGER|Integer32|Counter32|Counter64|Counter|Gauge32|Gauge|Unsigned32|UInteger32|Timeticks|OID|Hex-STRING|Hex|"
    r"IpAddress|Network Address|BITS|Opaque|NULL|OBJECT IDENTIFIER|OCTET STRING|NsapAddress|Bits"
)
_OID: Final = (
    r"(?:(?P<module>[A-Z][\w.-]{0,80})::)?(?P<oid>\.?(?:[A-Za-z][\w-]{0,80}|\d{1,10})(?:[.\[](?:[\w-]{1,80}|\"[^\"]{0,200}\"|"
    r"'[^']{0,200}')\]?){0,128})"
)
_VARIABLE: Final = re.compile(rf"{_OID}(?:\s{{0,8}}=(?P<equals>\s?)|(?P<quick> )|$)(?P<value>.*)$")
#: Between a number and the variable that somebody put behind it, without a line feed.
_GLUED: Final = re.compile(
    r"(?<=: \d{1})(?=[A-Z][\w.-]{1,80}MIB::[A-Za-z])|(?<=\d\d)(?=[A-Z][\w.-]{1,80}MIB::[A-Za-z])"
)
_TYPED: Final = re.compile(
    rf"(?:Wrong Type \(should be [\w ]{{1,60}}\): )?"
    rf"(?:(?P<type>{_TYPES}): ?|(?P<none>NULL$|No Such |No more variables ))(?P<value>.*)$"
)
_SNMPSOFT: Final = re.compile(r"OID=(?P<oid>\.?\d[\d.]{2,500}), ?Type=(?P<type>\w{1,30}), ?Value=(?P<value>.*)$")
_SAP: Final = re.compile(
    r"(?P<oid>\.?\d{1,10}(?:\.\d{1,10}){2,128})\s{0,40}, (?P<type>[A-Z]\w{1,30})\s{0,20}, (?P<value>.*)$"
)
_HEX: Final = re.compile(r"(?P<digits>(?:[0-9A-Fa-f]{2}(?:\s+|$))+)(?:\[.*\]?\s*)?$")
_HEX_TEXT: Final = re.compile(r"(?P<digits>(?:[0-9A-Fa-f]{2} )*(?:[0-9A-Fa-f]{2})?)\s*(?:\[.*)?$")
_NO_ANSWER: Final = re.compile(
    r"Timeout: No Response from |\[TIMEOUT\]|No response for |Error: OID not increasing|Reason: \("
)
_EPOCH: Final = re.compile(r"(?P<seconds>1\d{9}(?:\.\d{1,9})?)$")
_ISO: Final = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<clock>\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(?P<zone>[A-Z]{1,5}|[+-]\d\d(?::?\d\d)?)?$"
)
_DATE: Final = re.compile(
    r"(?P<before>[A-Z][a-z]{2},? [\w ]{4,12} \d{1,2}:\d\d:\d\d(?: [AP]M)?)"
    r"(?: (?P<zone>[A-Z]{3,5}|[A-Z]T?|[+-]\d\d(?::?\d\d)?))?(?: (?P<year>\d{4}))?$"
)
_DATES: Final = tuple(
    form.format(clock)
    for clock in ("%H:%M:%S", "%I:%M:%S %p")
    for form in ("%a %b %d {} %Y", "%a %d %b {} %Y", "%a %d %b %Y {}", "%a, %d %b %Y {}")
)
_QUICK_LINES: Final = 2
_LOOKED_AT: Final = 4000


class _Variable(NamedTuple):
    """A line that is a variable of an agent.

    Parameters
    ----------
    prefix, instance
        Number of the object, and of its instance.
    value
        The text behind the name, with its type.
    certain
        Whether nothing but a walk has such a line: the type is there, or the name of the module.
    """

    prefix: str
    instance: str
    value: str
    certain: bool


def recognises(document: Document) -> bool:
    """Whether there are variables with types, or at least two without that are of the known objects."""
    quick = 0
    for line in document.lines[:_LOOKED_AT]:
        variable = _variable(line.lstrip())
        if variable is None:
            continue
        if variable.certain:
            return True
        quick += variable.prefix in OBJECTS
        if quick >= _QUICK_LINES:
            return True
    return False


def read(document: Document, findings: CounterFindings) -> None:
    """Read the variables line by line."""
    readings = _Walk(findings)
    for number, line in enumerate(document.lines, 1):
        for variable in _GLUED.split(line) if line.count("MIB::") > 1 else (line,):
            readings.take(number, variable)
    what = readings.finish()
    findings.format = "snmpwalk-hostres" if what == "host" else "snmpwalk"
    if what == "host":
        findings.facts.setdefault("n_interfaces", 0)


class _Walk:
    """The lines of a walk."""

    def __init__(self, findings: CounterFindings) -> None:
        self._findings = findings
        self._readings = Readings(findings)
        self._open: tuple[str, str, Value] | None = None
        self._quoted = False
        self._unzoned = False

    def take(self, number: int, line: str) -> None:
        variable = None if self._quoted and not _TYPED_LINE.match(line) else _variable(line.lstrip())
        if variable is None:
            self._other(number, line)
            return
        self._close()
        self._quoted = False
        value, kind = _value(variable.value, number)
        if value is None:
            return
        if kind is None and value.text.startswith('"'):
            self._quoted = not _ends(value.text)
        self._open = (variable.prefix, variable.instance, value)

    def finish(self) -> str | None:
        self._close()
        return self._readings.finish()

    def _close(self) -> None:
        if self._open is not None:
            prefix, instance, value = self._open
            if not value.octets:
                value = value._replace(text=_unquoted(value.text))
            self._readings.put(prefix, instance, value)
            self._open = None

    def _other(self, number: int, line: str) -> None:
        """Take a line that begins no variable: more of the value before it, a date, or an agent without an answer."""
        if self._open is not None and not self._quoted and (continued := _HEX.match(line)) and self._open[2].octets:
            prefix, instance, value = self._open
            self._open = (prefix, instance, value._replace(text=f"{value.text} {continued['digits']}"))
            return
        if (
            self._open is not None
            and not self._open[2].text
            and (typed := _TYPED.match(line.strip()))
            and typed["type"]
            and (below := _value(line.strip(), number)[0]) is not None
        ):
            self._open = (*self._open[:2], below)
            return
        if self._open is not None and self._quoted:
            prefix, instance, value = self._open
            self._open = (prefix, instance, value._replace(text=f"{value.text} {line}"))
            self._quoted = not _ends(line)
            return
        if _NO_ANSWER.search(line):
            self._findings.problem(
                number, "truncated", f"found {line.strip()[:200]!r}, expected variables up to the end of the tree"
            )
        elif (date := _date(line.strip())) is not None:
            self._close()
            self._readings.time(self._moment(number, *date))

    def _moment(self, number: int, local: datetime, zone: str) -> float | None:
        """Seconds since 1970 of a date; if it has none, a problem explains why."""
        if zone or local.tzinfo is not None or self._findings.clock.known:
            return zoned_time(self._findings, number, local, zone, series="dates")
        if not self._unzoned:
            self._unzoned = True
            said = f"found the date {local} without a time zone, expected one, or --time-zone; readings have no time"
            self._findings.problem(number, "ambiguous", said)
        return None


_TYPED_LINE: Final = re.compile(rf"\S{{3,1000}} = (?:{_TYPES}): ")


def _variable(line: str) -> _Variable | None:
    """Read a line as a variable, if the tree has a node of its name."""
    match = _SNMPSOFT.match(line) if line.startswith("OID=") else _SAP.match(line) if ", " in line else None
    if match is not None:
        prefix, _, instance = match["oid"].lstrip(".").rpartition(".")
        kind = _SNMPSOFT_TYPES.get(match["type"], "STRING")
        return _Variable(prefix, instance, f" {kind}: {match['value']}", certain=True)
    match = _VARIABLE.match(line)
    if match is None or (match["equals"] is None and not match["quick"] and not match["module"]):
        return None
    number = _number(match["oid"], match["module"])
    if number is None:
        return None
    prefix, _, instance = number.rpartition(".")
    value = match["value"]
    typed = match["equals"] is not None and _TYPED.match(value.lstrip()) is not None
    return _Variable(prefix, instance, value, certain=typed or match["module"] is not None)


def _number(oid: str, module: str | None) -> str | None:
    """Give the number of a variable; of one whose name is not known "" if a module is named, else None."""
    words = oid.replace("[", ".").replace("]", "").lstrip(".").split(".")
    last = max((place for place, word in enumerate(words) if not word.isdecimal()), default=-1)
    if last < 0:
        return ".".join(words) if oid.startswith((".", "1.3.6.1.")) and len(words) >= 4 and words[0] in "012" else None
    node = NODES.get(words[last])
    if node is None:
        return "" if module is not None else None
    return ".".join([node, *words[last + 1 :]])


_SNMPSOFT_TYPES: Final = {
    "OctetString": "STRING",
    "Integer": "INTEGER",
    "Integer32": "INTEGER",
    "Counter32": "Counter32",
    "Counter64": "Counter64",
    "Gauge32": "Gauge32",
    "TimeTicks": "Timeticks",
    "OID": "OID",
    "ObjectID": "OID",
    "Counter": "Counter32",
    "Gauge": "Gauge32",
    "IpAddress": "IpAddress",
}


def _value(text: str, number: int) -> tuple[Value | None, str | None]:
    """Give the value without its type, and the type; no value where the agent has none."""
    text = text.strip()
    typed = _TYPED.match(text)
    if typed is None:
        if (digits := _HEX_TEXT.match(text.strip('"'))) and " " in text.strip() and digits["digits"]:
            return Value(digits["digits"], number, octets=True), None
        return Value(text, number), None
    if typed["none"]:
        return None, "none"
    kind, value = typed["type"], typed["value"]
    if kind in {"Hex-STRING", "Hex"}:
        digits = _HEX_TEXT.match(value.strip())
        return Value(digits["digits"] if digits else "", number, octets=True), kind
    if kind == "STRING" and value.startswith('"'):
        return Value(value, number), None
    return Value(value, number), kind


def _ends(text: str) -> bool:
    r"""Whether a text in quotes ends with its line."""
    stripped = text.rstrip()
    return stripped.endswith('"') and not stripped.endswith('\\"') and stripped != '"'


def _unquoted(text: str) -> str:
    stripped = text.strip()
    if len(stripped) >= 2 and stripped[0] == stripped[-1] == '"':
        return stripped[1:-1].replace('\\"', '"')
    return text


def _date(text: str) -> tuple[datetime, str] | None:
    """Read a line as a date, and the zone that it names, empty for none."""
    if match := _EPOCH.match(text):
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(match["seconds"])), ""
    if not 16 <= len(text) <= 45:
        return None
    if match := _ISO.match(text):
        with suppress(ValueError):
            return datetime.fromisoformat(f"{match['day']} {match['clock']}"), match["zone"] or ""
    if match := _DATE.match(text):
        date = f"{match['before']} {match['year'] or ''}".rstrip()
        for form in _DATES:
            with suppress(ValueError):
                return datetime.strptime(date, form), match["zone"] or ""  # noqa: DTZ007 - its zone stands beside it
    return None
