"""The formula of the limit that binds, with the numbers of the scenario in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from hecn_analysis import limits
from hecn_analysis.base import units

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario
    from hecn_analysis.prediction import Prediction

_CLOSE: Final = 0.03  # a formula and a prediction that agree this well need no remark


def formula(scenario: Scenario, prediction: Prediction) -> str:
    """Formula of the bottleneck with its numbers and its value; empty for a limit without a closed form."""
    name, kind, rate_bps = prediction.bottleneck, prediction.bottleneck_class, prediction.throughput_bps
    if name is None or kind is None or kind not in _FORMULAS or not math.isfinite(rate_bps):
        return ""
    closed_form = _FORMULAS[kind](scenario, name, rate_bps / (prediction.utilisation.get(name) or 1.0))
    if closed_form is None:
        return ""
    words, value_bps = closed_form
    text = f"{words} = {units.format_rate(value_bps)}"
    is_close = abs(value_bps / rate_bps - 1) <= _CLOSE
    return text if is_close else f"{text}; predicted for this test: {units.format_rate(rate_bps)}"


ClosedForm = tuple[str, float] | None


def _link(scenario: Scenario, bottleneck: str, _: float) -> ClosedForm:
    path = scenario.path
    if path.rate is None or path.framing != "ethernet" or scenario.tool.protocol != "tcp":
        return None
    rate, mtu = path.rate.value, path.mtu
    goodput = float(limits.ethernet(rate=rate, mtu=mtu, timestamps=path.timestamps)["goodput_bps"])
    payload = mtu - (52 if path.timestamps else 40)
    count = bottleneck.count(".") == 1 and path.links > 1
    times, links = (f"{path.links} links × ", path.links) if count else ("", 1)
    words = f"Line rate × payload / frame: {times}{units.format_rate(rate)} × {payload:.0f} B / {mtu + 38:.0f} B"
    return words, goodput * links


def _window(scenario: Scenario, _: str, limit_bps: float) -> ClosedForm:
    rtt = scenario.path.rtt.value
    if rtt <= 0:
        return None
    streams = scenario.tool.streams * scenario.tool.processes
    window = units.format_bytes(limit_bps * rtt / 8 / streams)
    times = f"{streams:g} windows × " if streams > 1 else ""
    return f"Window / round-trip time: {times}8 × {window} in flight / {units.format_time(rtt)}", limit_bps


def _slot(scenario: Scenario, bottleneck: str, _: float) -> ClosedForm:
    role, name = bottleneck.partition(".")[0], bottleneck.partition(".slot.")[2]
    host: Host | None = getattr(scenario, role)
    slot = None if host is None else host.slots.get(name)
    if host is None or slot is None or slot.bus != "pcie" or slot.gen is None or slot.lanes is None:
        return None
    payload = (slot.max_payload or host.max_payload).value
    figures = limits.pcie(gen=slot.gen, lanes=slot.lanes, max_payload=payload)
    words = (
        f"Raw rate less headers: PCIe gen {slot.gen} x{slot.lanes}, {units.format_rate(float(figures['raw_bps']))} "
        f"× {payload:.0f} B / {payload + 24:.0f} B, less acknowledgements and flow control"
    )
    return words, float(figures["throughput_bps"])


def _cpu(scenario: Scenario, bottleneck: str, limit_bps: float) -> ClosedForm:
    role = bottleneck.partition(".")[0]
    host: Host | None = getattr(scenario, role, None)
    if host is None or host.cpu is None or ".core" not in bottleneck:
        return None
    clock = host.cpu.clock.value
    return f"8 × clock / cycles per byte: 8 × {clock / 1e9:.3g} GHz / {8 * clock / limit_bps:.2g}", limit_bps


def _array(scenario: Scenario, bottleneck: str, limit_bps: float) -> ClosedForm:
    role, name = bottleneck.partition(".")[0], bottleneck.rpartition(".")[2]
    host: Host | None = getattr(scenario, role)
    array = None if host is None else host.arrays.get(name)
    if array is None:
        return None
    level = "" if array.level is None else f" in RAID {array.level}"
    words = f"Disks together: {array.disks:g} disks{level}, {limit_bps / 8e6 / array.disks:,.0f} MB/s each"
    return words, limit_bps


def _loss(scenario: Scenario, _: str, __: float) -> ClosedForm:
    path = scenario.path
    if not (path.loss.value > 0 and path.rtt.value > 0) or path.rate is None:
        return None
    control = scenario.sender.congestion_control if scenario.sender is not None else "cubic"
    if control not in {"reno", "cubic"}:
        return None
    figures = limits.tcp(
        rtt=path.rtt.value,
        rate=path.rate.value,
        mtu=path.mtu,
        loss=path.loss.value,
        congestion_control=control,
        streams=int(scenario.tool.streams),
    )
    root = "1.2 / √p" if control == "reno" else "1.054 (T / p)^¾, or 1.2 / √p if more,"
    words = (
        f"In the long run, {control}: packets in flight {root} each round trip, "
        f"p = {path.loss.value:.2g}, T = {units.format_time(path.rtt.value)}"
    )
    return words, float(figures["loss_limit_bps"])


_FORMULAS: Final[Mapping[str, Callable[[Scenario, str, float], ClosedForm]]] = {
    "link": _link,
    "window": _window,
    "slot": _slot,
    "cpu": _cpu,
    "raid": _array,
    "disk": _array,
    "loss": _loss,
}
