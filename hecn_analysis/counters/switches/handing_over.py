"""Hands the ports of an output over to the findings of its file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import local_time, width
from hecn_analysis.counters.switches.checks import checked
from hecn_analysis.counters.switches.port import COUNTS, Port


def _time(findings: CounterFindings, port: Port) -> float | None:
    """Seconds since 1970 at which the device printed the port."""
    try:
        local = datetime.fromisoformat(f"{port.values['clock']}{port.values.get('zone', '')}")
    except (KeyError, ValueError):
        return None
    line = port.lines["clock"]
    return local.timestamp() if local.tzinfo else local_time(findings, line, local, series=port.interface)


_OF_INTERFACE: Final = ("index", "description", "mac_address", "mtu", "up")
_OF_FACTS: Final = (
    *("duplex", "duplex_configured", "speed_configured", "bandwidth_bps", "max_frame_bytes", "last_cleared"),
    *("hardware", "crc_errors", "collisions", "late_collisions", "runts", "giants"),
)


def hand_over(findings: CounterFindings, ports: Iterable[Port]) -> None:
    """Add counters of ports as samples, rates as rates, and their faults as facts of the file."""
    all_ports = list(ports)
    for port in all_ports:
        port.add_up()
        own = {"host": port.host, "interface": port.interface}
        known = {name: port.values[name] for name in _OF_INTERFACE if name in port.values}
        index = known.pop("index", None)
        own |= {"index": index} if index is not None else {}
        speed, time = port.reported_bps, _time(findings, port)
        facts: dict[str, object] = {name: port.values[name] for name in _OF_FACTS if name in port.values}
        findings.interface(**own, **known, **({"speed_bps": speed} if speed else {}), facts=facts)
        counts = {name: value for name, value in port.values.items() if name in COUNTS}
        if counts:
            state = {name: known[name] for name in ("mtu", "up") if name in known}
            seen = {"line": port.line, "time": time, "speed_bps": speed, "counter_bits": width(counts)}
            findings.sample(**own, **counts, **state, **seen)
        rates = {name: port.values[name] for name in ("in_bps", "out_bps", "interval_s") if name in port.values}
        if rates.keys() & {"in_bps", "out_bps"}:
            findings.rate(line=port.lines.get("in_bps", port.lines.get("out_bps")), time=time, **own, **rates)
    findings.facts["findings"] = [each for port in all_ports for each in checked(port)]
