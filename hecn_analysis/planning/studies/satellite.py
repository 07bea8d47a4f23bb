"""Transfers over satellites, with and without proxies that split TCP's connections (PEP, RFC 3135)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.limits import framing, satellite, tcp_loss, tcp_window
from hecn_analysis.prediction.compare import Series
from hecn_analysis.prediction.sweep import sweep

#: Altitudes [m]; of the low and the medium ones, which lie in a range, an example each.
ORBITS: Final = {"low, 550 km": 550e3, "medium, 8,062 km": 8_062e3, "geostationary": satellite.GEOSTATIONARY_M}

#: What Linux comes with: the third values of `tcp_rmem` and `tcp_wmem`. [bytes]
DEFAULT_RMEM: Final = 6 * 2**20
DEFAULT_WMEM: Final = 4 * 2**20

#: Hosts and paths that a transfer over a satellite may have: the keys that differ from windows that do not matter.
VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "default_bps": {"receiver.tcp_rmem_max": DEFAULT_RMEM, "sender.tcp_wmem_max": DEFAULT_WMEM},
    "cubic_bps": {},
    "bbr_bps": {"sender.congestion_control": "bbr"},
    "proxies_bps": {"receiver.tcp_rmem_max": DEFAULT_RMEM, "sender.tcp_wmem_max": DEFAULT_WMEM, "path.pep": True},
}

_ALONE: Final[Mapping[str, Any]] = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp"}


def over_windows(scenario: str | Path | Mapping[str, Any] | Scenario, windows_bytes: Sequence[float]) -> pd.DataFrame:
    """Predict a transfer over the receiver's largest window, without proxies and with them.

    Parameters
    ----------
    scenario, windows_bytes
        Hosts, path and tool; values of `tcp_rmem` and `tcp_wmem`. [bytes]

    Returns
    -------
    DataFrame
        ``window_bytes``, ``proxies`` and ``throughput_bps`` with ``bottleneck_class``.

    Examples
    --------
    >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "45 Mb/s", "path.rtt": "560 ms",
    ...         "path.loss": 0, "path.mtu": 1500, "path.queue": "3.15 MB"}
    >>> (over_windows(base, [65536, 4e6])["throughput_bps"] / 1e6).round().tolist()
    [1.0, 23.0, 42.0, 42.0]
    """
    base = load_scenario(scenario)
    parts = []
    for proxies in (False, True):
        keys = {"receiver.tcp_rmem_max": list(windows_bytes), "sender.tcp_wmem_max": list(windows_bytes)}
        rows = sweep(base.with_({"path.pep": proxies}), keys, grid=False, intervals=False)
        parts.append(rows.assign(window_bytes=rows["receiver.tcp_rmem_max"], proxies=proxies))
    columns = ["window_bytes", "proxies", "throughput_bps", "bottleneck_class"]
    return pd.concat(parts, ignore_index=True)[columns]


def with_windows(comparison: pd.DataFrame, series: Iterable[Series]) -> pd.DataFrame:
    """Add to measured cases the receiver's largest window, as described, and whether there were proxies.

    Parameters
    ----------
    comparison, series
        Rows of `hecn_analysis.prediction.compare.compare`, and their series.

    Returns
    -------
    DataFrame
        With ``window_bytes`` (missing if the receiver has no limit), ``proxies``, and ``flight_bytes``: measured
        throughput times the path's round trip, from end to end.

    Examples
    --------
    >>> from hecn_analysis.prediction.compare import compare, load_series
    >>> series = [load_series("b-netem")]
    >>> with_windows(compare(series), series)[["case", "proxies", "flight_bytes"]].head(1).round(-6).to_dict("records")
    [{'case': 'b-netem-60s', 'proxies': False, 'flight_bytes': 97000000.0}]
    """
    scenarios = {(group.name, case): scenario for group in series for case, scenario in group.scenarios.items()}
    chosen = [scenarios[key] for key in zip(comparison["series"], comparison["case"], strict=True)]
    windows = [None if case.receiver is None else float(case.receiver.tcp_rmem_max.value) for case in chosen]
    known = pd.array(
        [None if window is None or window == float("inf") else window for window in windows], dtype="Float64"
    )
    rtts = [float(case.path.rtt.value) for case in chosen]
    return comparison.assign(
        window_bytes=known,
        proxies=[case.path.pep for case in chosen],
        rtt_s=rtts,
        flight_bytes=comparison["measured_bps"].astype("Float64") * rtts / 8,
    )


def orbits(
    rate_bps: float,
    *,
    amount_bytes: float,
    loss: float = 0.0,
    elevation_deg: float = 30.0,
    ground_s: float = 0.02,
    mtu: int = 1500,
) -> pd.DataFrame:
    """Predict the transfer of an amount over satellites of today: a row for each orbit.

    Parameters
    ----------
    rate_bps, amount_bytes
        Rate of the link [bit/s], and amount to transfer on one connection [bytes].
    loss, mtu
        Probability that a packet is lost, and largest IP packet [bytes].
    elevation_deg, ground_s
        Elevation of the satellite above the horizon [degrees], and round trip on the ground [s].

    Returns
    -------
    DataFrame
        ``orbit``, ``rtt_s``, ``window_bytes`` (that fills the link) and a throughput for each of `VARIANTS`:
        ``default_bps`` with Linux's default windows and CUBIC, ``cubic_bps`` and ``bbr_bps`` with sufficient windows,
        ``proxies_bps`` with the default windows between proxies that hide the losses.

    Examples
    --------
    >>> orbits(45e6, amount_bytes=1e8)["rtt_s"].round(3).tolist()[::2]
    [0.033, 0.535]
    """
    hops = {name: (altitude, 1) for name, altitude in ORBITS.items()}
    hops["geostationary, two in a row"] = (satellite.GEOSTATIONARY_M, 2)
    rtts = {
        name: float(satellite.round_trip_s(altitude, elevation_deg=elevation_deg, hops=n, ground=ground_s))
        for name, (altitude, n) in hops.items()
    }
    base = load_scenario(
        dict(_ALONE)
        | {"tool.bytes": amount_bytes, "path.rate": rate_bps, "path.loss": loss, "path.mtu": mtu}
        | {"path.queue": rate_bps * max(rtts.values()) / 8}  # what the longest path has in flight
    )
    payload_bps = float(framing.goodput_bps(rate_bps, mtu))
    columns = {
        name: sweep(base.with_(dict(keys)), {"path.rtt": list(rtts.values())}, intervals=False)["throughput_bps"]
        for name, keys in VARIANTS.items()
    }
    windows = [float(tcp_window.bdp_bytes(payload_bps, rtt)) for rtt in rtts.values()]
    return pd.DataFrame({"orbit": list(rtts), "rtt_s": list(rtts.values()), "window_bytes": windows, **columns})


def over_bit_errors(
    rate_bps: float, rtt_s: float, bit_error_rates: Sequence[float], *, duration_s: float = 300.0, mtu: int = 1500
) -> pd.DataFrame:
    """Predict TCP with sufficient windows over a link with bit errors, each of which loses a packet.

    Parameters
    ----------
    rate_bps, rtt_s, duration_s
        Rate of the link [bit/s], round-trip time [s], and length of the test [s].
    bit_error_rates, mtu
        Probabilities of a wrong bit [fraction], and largest IP packet [bytes].

    Returns
    -------
    DataFrame
        ``bit_error_rate``, ``loss`` (of packets) and ``reno_bps``, ``cubic_bps``, ``bbr_bps``, ``proxies_bps``.

    Examples
    --------
    >>> over_bit_errors(45e6, 0.56, [1e-7], duration_s=60.0)["loss"].round(5).tolist()
    [0.00123]
    """
    frame = float(framing.wire_bytes(mtu))
    losses = [float(tcp_loss.packet_loss(rate, frame)) for rate in bit_error_rates]
    path = {"path.rate": rate_bps, "path.rtt": rtt_s, "path.mtu": mtu}
    base = load_scenario(dict(_ALONE) | path | {"tool.duration": duration_s})
    variants: dict[str, dict[str, Any]] = {
        f"{control}_bps": {"sender.congestion_control": control} for control in ("reno", "cubic", "bbr")
    }
    variants["proxies_bps"] = {"path.pep": True}
    columns = {
        name: sweep(base.with_(keys), {"path.loss": losses}, intervals=False)["throughput_bps"]
        for name, keys in variants.items()
    }
    return pd.DataFrame({"bit_error_rate": list(bit_error_rates), "loss": losses, **columns})
