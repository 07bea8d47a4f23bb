"""Ports of switches, routers and firewalls: speed, duplex, errors, drops and load of the busiest port.

Units and traps
---------------
- The port with the highest rate counts, or with most octets if no rate is printed; ports that are down, logical
  interfaces and bundles do not count. Of several ports without either, nobody knows which one the data pass.
- Errors and drops count since the last clearing; of two outputs in a file, the difference counts.
- The rate of a switch is a mean over minutes: the load of the port, not the speed of a transfer.
- MTUs of Junos and IOS-XR include the Ethernet header, and are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from hecn_analysis.counters.registry import READERS
from hecn_analysis.counters.switches.port import Port
from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_READERS: Final = tuple(reader for reader in READERS if hasattr(reader, "ports"))
_WITH_HEADER: Final = ("Physical interface: ", "Interface state transitions:")
_SUMMED: Final = (("port.errors", ("in_errors", "out_errors")), ("port.dropped", ("in_discards", "out_discards")))


def find(document: Document) -> Iterator[Statement]:
    """Find the statements of a switch about its busiest port."""
    for reader in _READERS:
        if reader.recognises(document):
            readings: dict[tuple[str | None, str], list[Port]] = defaultdict(list)
            for port in reader.ports(document, _ignored):
                port.add_up()
                if port.is_line and port.values.get("up", True):
                    readings[port.host, port.interface].append(port)
            if not readings:
                continue
            busiest = max(readings.values(), key=lambda known: _carried(known[-1]))
            if len(readings) == 1 or any(_carried(busiest[-1])):
                yield from _of_port(document, busiest)


def _ignored(line: int | None, kind: str, message: str) -> None:
    """Leave problems to the readers of counters."""


def _carried(port: Port) -> tuple[float, float]:
    """Rate and octets of a port."""
    values = port.values
    rate = values.get("in_bps", 0.0) + values.get("out_bps", 0.0)
    return rate, float(values.get("in_octets", 0) + values.get("out_octets", 0))


def _of_port(document: Document, readings: list[Port]) -> Iterator[Statement]:
    """State the facts in the readings of a port."""
    first, last = readings[0], readings[-1]
    values = last.values

    def said(name: str, value: float | str, line: int) -> Statement:
        words = document.lines[line - 1].strip()[:300]
        return Statement(name, value, document.source_file, line, words, end_of(document.source_file))

    speed = values.get("speed_bps")
    if speed:
        yield said("port.speed_bps", speed, last.lines["speed_bps"])
        rates = [(values[name], last.lines[name]) for name in ("in_bps", "out_bps") if name in values]
        if rates and max(rates)[0] <= speed:
            yield said("port.load", max(rates)[0] / speed, max(rates)[1])
    if last.supported_bps is not None and speed:
        yield said("port.supported_bps", last.supported_bps, last.lines.get("hardware", last.line))
    if values.get("duplex") in ("full", "half"):
        yield said("port.duplex", values["duplex"], last.lines["duplex"])
    if "mtu" in values and not any(words in document.text for words in _WITH_HEADER):
        yield said("port.mtu_bytes", float(values["mtu"]), last.lines["mtu"])
    for name, parts in _SUMMED:
        counted = [(values[part], last.lines[part]) for part in parts if part in values]
        if counted:
            total = sum(value for value, _ in counted)
            before = sum(first.values.get(part, 0) for part in parts) if first is not last else 0
            yield said(name, float(total - before if total >= before else total), max(counted)[1])
