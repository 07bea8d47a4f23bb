"""Names of interface counters in exporters and agents, and samples made from values by such names.

The names are those of IF-MIB (snmp_exporter, Telegraf's snmp input, which adds a prefix), node_exporter since 0.16 and
before, windows_exporter, cAdvisor, Telegraf's net and ethtool inputs, OpenConfig (gNMI).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import width

_SIMPLE: Final = {
    "receive_bytes": "in_octets", "transmit_bytes": "out_octets", "receive_packets": "in_packets",
    "transmit_packets": "out_packets", "receive_errs": "in_errors", "transmit_errs": "out_errors",
    "receive_drop": "in_discards", "transmit_drop": "out_discards", "receive_multicast": "in_multicast",
}  # fmt: skip
_CADVISOR: Final = {
    "receive_bytes": "in_octets", "transmit_bytes": "out_octets", "receive_packets": "in_packets",
    "transmit_packets": "out_packets", "receive_errors": "in_errors", "transmit_errors": "out_errors",
    "receive_packets_dropped": "in_discards", "transmit_packets_dropped": "out_discards",
}  # fmt: skip
_WINDOWS: Final = {
    "bytes_received": "in_octets", "bytes_sent": "out_octets", "packets_received": "in_packets",
    "packets_sent": "out_packets", "packets_received_errors": "in_errors", "packets_outbound_errors": "out_errors",
    "packets_received_discarded": "in_discards", "packets_outbound_discarded": "out_discards",
}  # fmt: skip
_TELEGRAF: Final = {
    "bytes_recv": "in_octets", "bytes_sent": "out_octets", "packets_recv": "in_packets",
    "packets_sent": "out_packets", "err_in": "in_errors", "err_out": "out_errors", "drop_in": "in_discards",
    "drop_out": "out_discards", "rx_bytes": "in_octets", "tx_bytes": "out_octets", "rx_packets": "in_packets",
    "tx_packets": "out_packets", "rx_errors": "in_errors", "tx_errors": "out_errors", "rx_dropped": "in_discards",
    "tx_dropped": "out_discards", "in_octets": "in_octets", "out_octets": "out_octets", "in_pkts": "in_packets",
    "out_pkts": "out_packets", "in_errors": "in_errors", "out_errors": "out_errors", "in_discards": "in_discards",
    "out_discards": "out_discards", "in_multicast_pkts": "in_multicast",
}  # fmt: skip
IF_MIB: Final = {
    "ifHCInOctets": "in_octets_64", "ifHCOutOctets": "out_octets_64", "ifInOctets": "in_octets_32",
    "ifOutOctets": "out_octets_32", "ifInErrors": "in_errors", "ifOutErrors": "out_errors",
    "ifInDiscards": "in_discards", "ifOutDiscards": "out_discards", "ifHighSpeed": "speed_mbps",
    "ifSpeed": "speed_32_bps", "ifMtu": "mtu", "ifOperStatus": "state", "ifHCInUcastPkts": "in_packets_64_u",
    "ifHCInMulticastPkts": "in_packets_64_m", "ifHCInBroadcastPkts": "in_packets_64_b",
    "ifHCOutUcastPkts": "out_packets_64_u", "ifHCOutMulticastPkts": "out_packets_64_m",
    "ifHCOutBroadcastPkts": "out_packets_64_b", "ifInUcastPkts": "in_packets_32_u",
    "ifInMulticastPkts": "in_packets_32_m", "ifInBroadcastPkts": "in_packets_32_b", "ifInNUcastPkts": "in_packets_32_n",
    "ifOutUcastPkts": "out_packets_32_u", "ifOutMulticastPkts": "out_packets_32_m",
    "ifOutBroadcastPkts": "out_packets_32_b", "ifOutNUcastPkts": "out_packets_32_n",
}  # fmt: skip
METRICS: Final[Mapping[str, str]] = {
    **{f"node_network_{name}{end}": column for name, column in _SIMPLE.items() for end in ("_total", "")},
    **{f"container_network_{name}_total": column for name, column in _CADVISOR.items()},
    **{f"windows_net_{name}_total": column for name, column in _WINDOWS.items()},
    **{f"wmi_net_{name}_total": column for name, column in _WINDOWS.items()},
    **{f"net_{name}": column for name, column in _TELEGRAF.items()},
    "node_network_speed_bytes": "speed_bytes",
    "node_network_mtu_bytes": "mtu",
    "node_network_mtu": "mtu",
    "node_network_iface_id": "index",
    "node_network_carrier": "up",
    "windows_net_current_bandwidth_bytes": "speed_bytes",
    "windows_net_current_bandwidth": "speed_bps",
    "wmi_net_current_bandwidth": "speed_bps",
    "net_speed": "speed_mbps",
    **IF_MIB,
}
"""Metrics of Prometheus by name; those of IF-MIB may have a prefix ("interface_ifHCInOctets")."""
FIELDS: Final[Mapping[str, str]] = {**_TELEGRAF, "speed": "speed_mbps", "oper_status": "state", **IF_MIB}
"""Fields of InfluxDB by name, without what stands before the last slash."""
_LARGEST_32: Final = (1 << 32) - 1


def column(metric: str, names: Mapping[str, str] = METRICS) -> str | None:
    """Name for the value of a metric; None for metrics of anything but interfaces.

    Parameters
    ----------
    metric, names
        The name of the metric or field, and the names that are known beside those of IF-MIB.

    Returns
    -------
    str or None
        A column of the table of samples, or a part of one, such as a counter of 64 bits.

    Examples
    --------
    >>> column("node_network_receive_bytes_total"), column("interface_ifHCInOctets"), column("up")
    ('in_octets', 'in_octets_64', None)
    """
    known = names.get(metric)
    if known is None and "if" in metric:
        tail = metric[metric.rfind("if") :]
        head = metric[: -len(tail)]
        known = IF_MIB.get(tail) if not head or head.endswith(("_", "/", ":", ".")) else None
    return known


@dataclass
class Collected:
    """Values of one interface at one time, by the names of `column`, and the first line with one of them."""

    line: int
    values: dict[str, float | int] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """Columns of a sample."""
        values = self.values
        row: dict[str, Any] = {name: _count(value) for name, value in values.items() if name in _COUNTED}
        wide = any(f"{way}_octets_64" in values for way in ("in", "out"))
        for way in ("in", "out"):
            octets = values.get(f"{way}_octets_64" if wide else f"{way}_octets_32")
            if octets is not None:
                row[f"{way}_octets"] = _count(octets)
                row["counter_bits"] = 64 if wide else 32
        for name, value in self._packets().items():
            row[name] = _count(value)
        row.setdefault("counter_bits", width(row))
        row["uptime_s"] = values.get("uptime_s")
        row["speed_bps"] = self._speed()
        if "state" in values:
            row["up"] = values["state"] == 1
        elif "up" in values:
            row["up"] = values["up"] == 1
        return {name: value for name, value in row.items() if value is not None}

    def _packets(self) -> dict[str, float | int]:
        """Sum of packets of all kinds, of the wider counters if both exist."""
        packets: dict[tuple[str, str], float | int] = {}
        for name, value in self.values.items():
            if "_packets_" in name:
                way, _, bits, _ = name.split("_")
                packets[way, bits] = packets.get((way, bits), 0) + value
        return {f"{way}_packets": value for (way, _), value in sorted(packets.items())}

    def _speed(self) -> float | int | None:
        """Stated speed [bit/s]; without a link it is -1, 0 or the largest number, and ifSpeed ends at 4.29 Gb/s."""
        values = self.values
        for name, factor in (("speed_bytes", 8), ("speed_mbps", 10**6), ("speed_bps", 1), ("speed_32_bps", 1)):
            value = values.get(name)
            if value is not None and value > 0 and not (name.startswith("speed_32") and value >= _LARGEST_32):
                return _count(factor * value)
        return None


_COUNTED: Final = frozenset({*_SIMPLE.values(), "mtu", "index", "in_errors", "out_errors"})


def _count(value: float) -> int | float:
    """Whole number of an integral value: exporters write counters as 1.5e+09."""
    return int(value) if float(value).is_integer() else value


def hand_over(
    findings: CounterFindings, names: Mapping[str, Any], collected: Collected, time: float | None
) -> dict[str, Any]:
    """Add a sample, or an interface without counts, and return its columns."""
    row = {**collected.columns(), **{name: value for name, value in names.items() if value is not None}}
    if any(name.startswith(("in_", "out_")) for name in row):
        findings.sample(line=collected.line, time=time, **row)
    else:
        findings.interface(**{name: value for name, value in row.items() if name not in {"counter_bits", "uptime_s"}})
    return row
