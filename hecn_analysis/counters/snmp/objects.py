"""What SNMP says of interfaces, whichever program wrote it down: variables of an agent made into readings.

Objects of IF-MIB (RFC 2863), EtherLike-MIB (RFC 3635), HOST-RESOURCES-MIB (RFC 2790) and SNMPv2-MIB (RFC 3418).

Units and traps
---------------
- Counters of 64 bits (ifHCInOctets) count where an agent has them, else those of 32 bits (ifInOctets).
- ifHighSpeed is in Mbit/s and rounded, ifSpeed in bit/s and 4294967295 for anything faster; 0 is not known. What
  cannot be a speed (ifHighSpeed 4294967295 or 4294901759 of some firewalls) is not known either. An ifSpeed below
  64 kbit/s on Ethernet is Mbit/s that the agent has not converted: not known, and told.
- Packets are unicast, multicast and broadcast together, where the agent counts all of them.
- Names may end in NUL, or be written in hexadecimal; "<private>" is what LibreNMS writes over a name.
- A walk has no time of its own but the agent's clock (hrSystemDate). A variable that comes twice begins the next
  reading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Final, NamedTuple

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import local_time

_INTERFACES: Final = "1.3.6.1.2.1.2.2.1"
_MORE: Final = "1.3.6.1.2.1.31.1.1.1"
_ETHERNET: Final = "1.3.6.1.2.1.10.7.2.1"
_ETHERNET_64: Final = "1.3.6.1.2.1.10.7.11.1"
_STORAGE: Final = "1.3.6.1.2.1.25.2.3.1"


def _columns(entry: str, names: str, first: int = 1) -> dict[str, str]:
    return {f"{entry}.{number}": name for number, name in enumerate(names.split(), first) if name != "-"}


OBJECTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **_columns("1.3.6.1.2.1.1", "sysDescr sysObjectID sysUpTime sysContact sysName sysLocation sysServices"),
        "1.3.6.1.2.1.2.1": "ifNumber",
        **_columns(
            _INTERFACES,
            "ifIndex ifDescr ifType ifMtu ifSpeed ifPhysAddress ifAdminStatus ifOperStatus ifLastChange ifInOctets "
            "ifInUcastPkts ifInNUcastPkts ifInDiscards ifInErrors ifInUnknownProtos ifOutOctets ifOutUcastPkts "
            "ifOutNUcastPkts ifOutDiscards ifOutErrors ifOutQLen ifSpecific",
        ),
        **_columns(
            _MORE,
            "ifName ifInMulticastPkts ifInBroadcastPkts ifOutMulticastPkts ifOutBroadcastPkts ifHCInOctets "
            "ifHCInUcastPkts ifHCInMulticastPkts ifHCInBroadcastPkts ifHCOutOctets ifHCOutUcastPkts "
            "ifHCOutMulticastPkts ifHCOutBroadcastPkts ifLinkUpDownTrapEnable ifHighSpeed ifPromiscuousMode "
            "ifConnectorPresent ifAlias ifCounterDiscontinuityTime",
        ),
        **_columns(
            _ETHERNET,
            "dot3StatsIndex dot3StatsAlignmentErrors dot3StatsFCSErrors dot3StatsSingleCollisionFrames "
            "dot3StatsMultipleCollisionFrames dot3StatsSQETestErrors dot3StatsDeferredTransmissions "
            "dot3StatsLateCollisions dot3StatsExcessiveCollisions dot3StatsInternalMacTransmitErrors "
            "dot3StatsCarrierSenseErrors - dot3StatsFrameTooLongs - - dot3StatsInternalMacReceiveErrors "
            "dot3StatsEtherChipSet dot3StatsSymbolErrors dot3StatsDuplexStatus",
        ),
        **_columns(
            _ETHERNET_64,
            "dot3HCStatsAlignmentErrors dot3HCStatsFCSErrors dot3HCStatsInternalMacTransmitErrors "
            "dot3HCStatsFrameTooLongs dot3HCStatsInternalMacReceiveErrors dot3HCStatsSymbolErrors",
        ),
        "1.3.6.1.2.1.25.1.1": "hrSystemUptime",
        "1.3.6.1.2.1.25.1.2": "hrSystemDate",
        "1.3.6.1.2.1.25.2.2": "hrMemorySize",
        **_columns(
            _STORAGE,
            "hrStorageIndex hrStorageType hrStorageDescr hrStorageAllocationUnits hrStorageSize hrStorageUsed",
        ),
        "1.3.6.1.2.1.25.3.3.1.2": "hrProcessorLoad",
        "1.3.6.1.6.3.10.2.1.3": "snmpEngineTime",
    }
)
NUMBERS: Final[Mapping[str, str]] = MappingProxyType({name: number for number, name in OBJECTS.items()})
NODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "iso": "1",
        "org": "1.3",
        "dod": "1.3.6",
        "internet": "1.3.6.1",
        "mgmt": "1.3.6.1.2",
        "mib-2": "1.3.6.1.2.1",
        "mib_2": "1.3.6.1.2.1",
        "system": "1.3.6.1.2.1.1",
        "interfaces": "1.3.6.1.2.1.2",
        "ifTable": "1.3.6.1.2.1.2.2",
        "ifEntry": _INTERFACES,
        "at": "1.3.6.1.2.1.3",
        "ip": "1.3.6.1.2.1.4",
        "icmp": "1.3.6.1.2.1.5",
        "tcp": "1.3.6.1.2.1.6",
        "udp": "1.3.6.1.2.1.7",
        "transmission": "1.3.6.1.2.1.10",
        "dot3": "1.3.6.1.2.1.10.7",
        "dot3StatsTable": "1.3.6.1.2.1.10.7.2",
        "dot3StatsEntry": _ETHERNET,
        "snmp": "1.3.6.1.2.1.11",
        "host": "1.3.6.1.2.1.25",
        "hrSystem": "1.3.6.1.2.1.25.1",
        "hrStorage": "1.3.6.1.2.1.25.2",
        "hrStorageTable": "1.3.6.1.2.1.25.2.3",
        "hrStorageEntry": _STORAGE,
        "hrDevice": "1.3.6.1.2.1.25.3",
        "ifMIB": "1.3.6.1.2.1.31",
        "ifMIBObjects": "1.3.6.1.2.1.31.1",
        "ifXTable": "1.3.6.1.2.1.31.1.1",
        "ifXEntry": _MORE,
        "private": "1.3.6.1.4",
        "enterprises": "1.3.6.1.4.1",
        "snmpV2": "1.3.6.1.6",
        "snmpModules": "1.3.6.1.6.3",
        "sysUpTimeInstance": "1.3.6.1.2.1.1.3.0",
        **NUMBERS,
    }
)
"""Names of nodes of the tree, with their numbers."""

NO_INDEX: Final = 1 << 32
"""Numbers of instances from here on stand for interfaces whose number is not known: ifIndex ends before."""

_OF_INTERFACES: Final = frozenset(name for number, name in OBJECTS.items() if number.startswith((_INTERFACES, _MORE)))
_OF_ETHERNET: Final = frozenset(name for name in NUMBERS if name.startswith("dot3"))
_SCALARS: Final = frozenset(
    name for name in NUMBERS if name.startswith("sys") or name in {"hrSystemUptime", "hrSystemDate", "hrMemorySize"}
)
_OF_HOSTS: Final = frozenset(name for name in NUMBERS if name.startswith("hr"))
_ALL_ONES_32: Final = 2**32 - 1
_ALL_ONES_64: Final = 2**64 - 1
_LONGEST_UPTIME_S: Final = _ALL_ONES_32 / 100
_FASTEST_MBPS: Final = 100_000_000
_SLOWEST_BPS: Final = 64_000
_ETHERNET_TYPES: Final = frozenset({6, 26, 62, 69, 117})
_NAMED: Final[Mapping[str, int]] = MappingProxyType(
    {"up": 1, "down": 2, "testing": 3, "unknown": 4, "dormant": 5, "notpresent": 6, "lowerlayerdown": 7}
)
_UP: Final[Mapping[int, bool | None]] = MappingProxyType({1: True, 2: False, 4: None, 5: False, 6: False, 7: False})
_FACTS_OF_ETHERNET: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "alignment_errors": ("dot3HCStatsAlignmentErrors", "dot3StatsAlignmentErrors"),
        "fcs_errors": ("dot3HCStatsFCSErrors", "dot3StatsFCSErrors"),
        "frames_too_long": ("dot3HCStatsFrameTooLongs", "dot3StatsFrameTooLongs"),
        "symbol_errors": ("dot3HCStatsSymbolErrors", "dot3StatsSymbolErrors"),
        "internal_receive_errors": ("dot3HCStatsInternalMacReceiveErrors", "dot3StatsInternalMacReceiveErrors"),
        "internal_transmit_errors": ("dot3HCStatsInternalMacTransmitErrors", "dot3StatsInternalMacTransmitErrors"),
        "single_collisions": ("dot3StatsSingleCollisionFrames",),
        "multiple_collisions": ("dot3StatsMultipleCollisionFrames",),
        "late_collisions": ("dot3StatsLateCollisions",),
        "excessive_collisions": ("dot3StatsExcessiveCollisions",),
        "carrier_sense_errors": ("dot3StatsCarrierSenseErrors",),
    }
)
_DUPLEX: Final[Mapping[int, str]] = MappingProxyType({2: "half", 3: "full"})

_TICKS: Final = re.compile(r"\(?(?P<ticks>\d{1,20})\)?(?:\s|$)")
_LONG: Final = re.compile(
    r"(?:(?P<days>\d{1,9})(?: days?, |:))?(?P<h>\d{1,9}):(?P<m>\d{1,2}):(?P<s>\d{1,2})(?:\.(?P<cs>\d{1,2}))?$"
)
_INTEGER: Final = re.compile(
    r"(?:[A-Za-z][\w-]{0,60}\((?P<named>-?\d{1,20})\)|(?P<plain>-?\d{1,20}))(?:\s+\S{1,20})?\s*$"
)
_DATE: Final = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2}),(?P<h>\d{1,2}):(?P<m>\d{1,2}):(?P<s>\d{1,2})\.(?P<ds>\d)"
    r"(?:,(?P<sign>[+-])(?P<zh>\d{1,2}):(?P<zm>\d{1,2}))?$"
)


class Value(NamedTuple):
    """A value as written, and its line: the text without the name of its type; hexadecimal digits if `octets`."""

    text: str
    line: int
    octets: bool = False

    @property
    def integer(self) -> int | None:
        """The value as a whole number, also of a name with a number such as ``up(1)``."""
        match = _INTEGER.match(self.text)
        if match is not None:
            return int(match["named"] or match["plain"])
        return _NAMED.get(self.text.strip().lower())

    @property
    def name(self) -> str | None:
        """The value as words for people: decoded octets, without unprintable ones; None if nothing is left."""
        text = self.text
        if self.octets:
            try:
                octets = bytes.fromhex(text)
            except ValueError:
                return None
            try:
                text = octets.decode()
            except UnicodeDecodeError:
                text = octets.decode("latin-1")
        text = " ".join(text.replace("\0", "").split())
        return text if text and text != "<private>" and text.isprintable() else None

    @property
    def seconds(self) -> float | None:
        """The value as a time in hundredths of seconds: ``(155345) 0:25:53.45``, 155345 or 0:0:25:53.45."""
        text = self.text.strip()
        if match := _TICKS.match(text):
            return int(match["ticks"]) / 100
        if match := _LONG.match(text):
            hours = 24 * int(match["days"] or 0) + int(match["h"])
            return round(3600 * hours + 60 * int(match["m"]) + int(match["s"]) + int(match["cs"] or 0) / 100, 2)
        return None

    @property
    def date(self) -> datetime | None:
        """The value as a date (DateAndTime of RFC 2579), with its zone if present."""
        if match := _DATE.match(self.text.strip().strip('"')):
            fields = [int(match[name]) for name in ("year", "month", "day", "h", "m", "s", "ds")]
            zone = (match["sign"], int(match["zh"] or 0), int(match["zm"] or 0)) if match["sign"] else None
        else:
            try:
                octets = bytes.fromhex(self.text) if self.octets else b""
            except ValueError:
                return None
            if len(octets) not in {8, 11}:
                return None
            fields = [int.from_bytes(octets[:2], "big"), *octets[2:8]]
            zone = (chr(octets[8]), octets[9], octets[10]) if len(octets) == 11 else None
        try:
            local = datetime(*fields[:6], microsecond=100_000 * fields[6])  # type: ignore[arg-type,misc]  # noqa: DTZ001 - local
            if zone is None:
                return local
            east = timedelta(hours=zone[1], minutes=zone[2]) * (-1 if zone[0] == "-" else 1)
            return local.replace(tzinfo=timezone(east) if east else UTC)
        except ValueError:
            return None

    @property
    def address(self) -> str | None:
        """The value as the address of a link of six octets, such as 02:00:5e:00:53:01."""
        words = re.findall(r"[0-9A-Fa-f]{1,2}", self.text) if self.octets else self.text.strip().split(":")
        if self.octets and len(words) == 1:
            words = re.findall("..", self.text)
        if len(words) != 6 or not all(re.fullmatch(r"[0-9A-Fa-f]{1,2}", word) for word in words):
            return None
        return ":".join(f"{int(word, 16):02x}" for word in words)


Variables = dict[str, dict[int, Value]]
"""Values by name of the object and number of the instance."""


class Readings:
    """Variables in order, split into readings when one repeats."""

    def __init__(self, findings: CounterFindings) -> None:
        self._findings = findings
        self._variables: Variables = {}
        self._time: float | None = None
        self._names: dict[tuple[str | None, int], tuple[str | None, dict[str, str | None]]] = {}
        self._host: str | None = None
        self._speeds: set[str] = set()
        self.seen: set[str] = set()

    def time(self, seconds: float | None) -> None:
        """Set the time of a reading, in seconds since 1970, None if its zone is unknown."""
        if self._variables:
            self.close()
        self._time = seconds

    def put(self, prefix: str, instance: str, value: Value) -> None:
        """Add a variable if its `prefix` is one of `OBJECTS`."""
        name = OBJECTS.get(prefix)
        if name is None or not instance.isdecimal() or len(instance) > 10:
            return
        values = self._variables.get(name)
        if values is not None and int(instance) in values:
            self.close()
            values = None
        if values is None:
            values = self._variables.setdefault(name, {})
        values[int(instance)] = value
        self.seen.add(name)

    def close(self) -> None:
        """Make a reading from the variables so far."""
        variables, self._variables = self._variables, {}
        scalar = {name: values[0] for name, values in variables.items() if name in _SCALARS and 0 in values}
        if "sysName" in scalar or "sysDescr" in scalar:
            self._host = scalar["sysName"].name if "sysName" in scalar else None
        time = self._time
        if "hrSystemDate" in scalar and time is None and (date := scalar["hrSystemDate"].date) is not None:
            time = local_time(self._findings, scalar["hrSystemDate"].line, date, series="hrSystemDate")
        uptime = self._uptime(scalar.get("sysUpTime"))
        self._source(variables, scalar, uptime)
        tables = {name: values for name, values in variables.items() if name in _OF_INTERFACES | _OF_ETHERNET}
        known = {name: values for name, values in tables.items() if name in _OF_INTERFACES} or tables
        indices = sorted({index for values in known.values() for index in values})
        for index in indices:
            own = {name: values[index] for name, values in tables.items() if index in values}
            self._interface(index, own, time, uptime)
        self._time = None

    def finish(self) -> str | None:
        """End the last reading and return the subject of the variables: "interfaces", "host", or None."""
        self.close()
        if self.seen & (_OF_INTERFACES | _OF_ETHERNET):
            return "interfaces"
        return "host" if self.seen & _OF_HOSTS else None

    def _source(self, variables: Variables, scalar: Mapping[str, Value], uptime: float | None) -> None:
        facts = self._findings.facts
        if uptime is not None:
            facts["uptime_s"] = uptime
        if self._host is not None:
            facts["host"] = self._host
        if "sysDescr" in scalar:
            facts["description"] = scalar["sysDescr"].name
        if "hrSystemUptime" in scalar:
            facts["host_uptime_s"] = scalar["hrSystemUptime"].seconds
        if "hrMemorySize" in scalar and (kibibytes := scalar["hrMemorySize"].integer) is not None:
            facts["memory_bytes"] = 1024 * kibibytes
        if "hrStorageDescr" in variables:
            facts["storage"] = [_storage(index, variables) for index in sorted(variables["hrStorageDescr"])]
        if "hrProcessorLoad" in variables:
            loads = [value.integer for value in variables["hrProcessorLoad"].values()]
            facts["processor_busy_fractions"] = [None if load is None else load / 100 for load in loads]

    def _interface(self, index: int, own: Mapping[str, Value], time: float | None, uptime: float | None) -> None:
        words = {
            "description": own["ifDescr"].name if "ifDescr" in own else None,
            "alias": own["ifAlias"].name if "ifAlias" in own else None,
            "mac_address": own["ifPhysAddress"].address if "ifPhysAddress" in own else None,
        }
        name = (own["ifName"].name if "ifName" in own else None) or words["description"]
        known = self._names.get((self._host, index))
        if name is None and known is not None:
            name = known[0]
        words = {word: text or (known[1][word] if known is not None else None) for word, text in words.items()}
        self._names[self._host, index] = (name, words)
        identity = {"host": self._host, "interface": name, "index": None if index >= NO_INDEX else index}
        state = {
            **words,
            "speed_bps": self._speed(own),
            "mtu": _positive(own.get("ifMtu")),
            "up": _UP.get(own["ifOperStatus"].integer or 0) if "ifOperStatus" in own else None,
        }
        self._findings.interface(**identity, **state, facts=_facts(own))
        counters = self._counters(own)
        if not any(value is not None for value in counters.values()):
            return
        for way in ("In", "Out"):
            wide, narrow = (_first(own, f"{name}{way}Octets") for name in ("ifHC", "if"))
            if wide == 0 and narrow:
                narrow_count = f"0 beside if{way}Octets of {narrow}"
                self._once(f"ifHC{way}Octets", own[f"ifHC{way}Octets"], narrow_count, "the same count; used as printed")
        discontinuity = own.get("ifCounterDiscontinuityTime")
        self._findings.sample(
            **identity,
            **state,
            **counters,
            line=min(value.line for value in own.values()),
            time=time,
            uptime_s=uptime,
            discontinuity_s=None if discontinuity is None else discontinuity.seconds,
        )

    def _speed(self, own: Mapping[str, Value]) -> float | None:
        high = own["ifHighSpeed"].integer if "ifHighSpeed" in own else None
        low = own["ifSpeed"].integer if "ifSpeed" in own else None
        if high is not None and high > _FASTEST_MBPS:
            self._once("ifHighSpeed", own["ifHighSpeed"], f"{high} Mbit/s", "a speed; taken as not known")
            high = None
            low = None if low in {0, _ALL_ONES_32} else low
        if low in {0, _ALL_ONES_32}:
            low = None
        kind = own["ifType"].integer if "ifType" in own else None
        if low is not None and not high and low < _SLOWEST_BPS and kind in _ETHERNET_TYPES:
            self._once(
                "ifSpeed", own["ifSpeed"], f"{low} bit/s", "the speed of an Ethernet interface; taken as not known"
            )
            low = None
        if high and (low is None or abs(low - high * 1e6) > 5e5):
            return high * 1e6
        return None if low is None or low < 0 else float(low)

    def _uptime(self, value: Value | None) -> float | None:
        """Seconds of a clock of hundredths in 32 bits."""
        seconds = None if value is None else value.seconds
        if value is not None and seconds is not None and seconds > _LONGEST_UPTIME_S:
            self._once("sysUpTime", value, f"{seconds} s", f"at most {_LONGEST_UPTIME_S} s; taken as not known")
            return None
        return seconds

    def _packets(self, own: Mapping[str, Value], way: str) -> int | None:
        """Packets of all kinds; None if one of the counts has all bits set, as broken agents answer."""
        kinds = ("Ucast", "Multicast", "Broadcast")
        unicast, *others = (_first_named(own, f"ifHC{way}{kind}Pkts", f"if{way}{kind}Pkts") for kind in kinds)
        if unicast is None:
            return None
        parts = [part for part in others if part is not None]
        parts = [unicast, *(parts or filter(None, [_first_named(own, f"if{way}NUcastPkts")]))]
        for name, count in parts:
            if len(parts) > 1 and count in {_ALL_ONES_32, _ALL_ONES_64}:
                expected = f"packets to add to those of other kinds; {way.lower()}_packets left out"
                self._once(name, own[name], f"{count}, all bits set", expected)
                return None
        return sum(count for _, count in parts)

    def _counters(self, own: Mapping[str, Value]) -> dict[str, int | None]:
        octets = {way: _first(own, f"ifHC{way}Octets", f"if{way}Octets") for way in ("In", "Out")}
        there = [way for way in ("In", "Out") if octets[way] is not None]
        wide = all(f"ifHC{way}Octets" in own or (octets[way] or 0) >= 1 << 32 for way in there)
        return {
            "in_octets": octets["In"],
            "out_octets": octets["Out"],
            "in_packets": self._packets(own, "In"),
            "out_packets": self._packets(own, "Out"),
            "in_errors": _first(own, "ifInErrors"),
            "out_errors": _first(own, "ifOutErrors"),
            "in_discards": _first(own, "ifInDiscards"),
            "out_discards": _first(own, "ifOutDiscards"),
            "in_multicast": _first(own, "ifHCInMulticastPkts", "ifInMulticastPkts"),
            "counter_bits": (64 if wide else 32) if there else None,
        }

    def _once(self, name: str, value: Value, found: str, expected: str) -> None:
        if name not in self._speeds:
            self._speeds.add(name)
            self._findings.problem(value.line, "inconsistent", f"{name}: found {found}, expected {expected}")


def _positive(value: Value | None) -> int | None:
    number = None if value is None else value.integer
    return number if number is not None and number > 0 else None


def _first(own: Mapping[str, Value], *names: str) -> int | None:
    """Value of the first present one of some objects."""
    named = _first_named(own, *names)
    return None if named is None else named[1]


def _first_named(own: Mapping[str, Value], *names: str) -> tuple[str, int] | None:
    """Name and value of the first present one of some objects."""
    for name in names:
        if name in own and (number := own[name].integer) is not None:
            return name, number
    return None


def _facts(own: Mapping[str, Value]) -> dict[str, object]:
    """Facts from EtherLike-MIB, and whether the interface should be up."""
    facts: dict[str, object] = {}
    if "ifAdminStatus" in own:
        facts["admin_up"] = _UP.get(own["ifAdminStatus"].integer or 0)
    for fact, names in _FACTS_OF_ETHERNET.items():
        if (count := _first(own, *names)) is not None:
            facts[fact] = count
    if "dot3StatsDuplexStatus" in own:
        status = own["dot3StatsDuplexStatus"]
        facts["duplex"] = _DUPLEX.get(
            status.integer or 0, {"halfDuplex": "half", "fullDuplex": "full"}.get(status.text)
        )
    return facts


def _storage(index: int, variables: Variables) -> dict[str, object]:
    def number(name: str) -> int | None:
        value = variables.get(name, {}).get(index)
        return None if value is None else value.integer

    unit = number("hrStorageAllocationUnits")
    sizes = {
        key: None if unit is None or (count := number(name)) is None or count < 0 else unit * count
        for key, name in (("size_bytes", "hrStorageSize"), ("used_bytes", "hrStorageUsed"))
    }
    return {"index": index, "descr": variables["hrStorageDescr"][index].name, **sizes}
