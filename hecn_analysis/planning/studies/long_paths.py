"""Long paths: the limits of TCP over the round trip, what runs say about them, and the windows that faster links need.

The window, losses and the line rate each limit the throughput; the lowest limit binds. Conversely, the throughput of a
run times its round trip is what it had in flight; if that equals its window, the window was the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from hecn_analysis import limits
from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.limits import framing, tcp_loss, tcp_window
from hecn_analysis.prediction.compare import Series, load_series
from hecn_analysis.prediction.draws import Draws
from hecn_analysis.prediction.packets import payload_per_packet, streams_per_process
from hecn_analysis.prediction.transport import Transport
from hecn_analysis.runs.rates import run_rates

#: Packets that a tool counts as sent again for one reduction of the window: the median of what runs of CUBIC over 5 to
#: 190 ms imply by their rate (2 to 120; ESnet testing-harness, sample data of 2021). A full queue drops a train of
#: packets, and some are sent again in vain.
SENT_TOGETHER: Final = 50

Control = Literal["reno", "cubic", "bbr", "htcp", "bic"]
FLIGHTS: Final = (
    *("source_file", "line_first", "line_last", "tool", "rtt_s", "duration_s", "measured_bps", "flight_bytes"),
    *("packets", "retransmits", "sent_again_fraction", "loss_limit_bps"),
)
NEEDS: Final = (
    *("rtt_s", "rate_bps", "window_bytes", "tcp_rmem_bytes", "streams"),
    *("reno_loss", "cubic_loss", "reno_recovery_s", "cubic_recovery_s"),
)


def far_cases(names: Iterable[str], *, least_rtt_s: float, without: Iterable[str] = ()) -> list[Series]:
    """Return the cases of shipped series over long paths, series by series.

    Parameters
    ----------
    names, without
        Names of series, and cases to leave out.
    least_rtt_s
        Round trip of the shortest path that counts as long. [s]

    Returns
    -------
    list of Series
        Each with its cases over long paths; those without one are left out.

    Examples
    --------
    >>> [series] = far_cases(["b-netem"], least_rtt_s=0.01, without=["b-netem-60s"])
    >>> list(series.scenarios)[:2]
    ['b-netem-loss', 'b-lro-autotuned']
    """
    chosen, left_out = [], set(without)
    for series in map(load_series, names):
        far = {
            name: scenario
            for name, scenario in series.scenarios.items()
            if scenario.path.rtt.value >= least_rtt_s and name not in left_out
        }
        chosen.append(replace(series, cases={name: series.cases[name] for name in far}, scenarios=far))
    return [series for series in chosen if series.cases]


def limit_lines(scenario: str | Path | Mapping[str, Any] | Scenario, rtts_s: Sequence[float]) -> pd.DataFrame:
    """Compute the separate limits of line rate, window and losses over the round trip.

    Parameters
    ----------
    scenario, rtts_s
        Hosts, path and tool; round trips. [s]

    Returns
    -------
    DataFrame
        ``x`` [s], ``line`` (class of the limit: link, window, loss) and ``throughput_bps`` of all streams of a process,
        without the start-up. Windows and losses are those of TCP from end to end, without proxies.

    Examples
    --------
    >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s", "path.rtt": "1 ms",
    ...         "tool.window": "4 MB"}
    >>> lines = limit_lines(base, [0.01, 0.1])
    >>> lines["line"].tolist(), (lines["throughput_bps"] / 1e9).round(2).tolist()
    (['link', 'link', 'window', 'window'], [9.41, 9.41, 3.99, 0.4])
    """
    base = load_scenario(scenario)
    payload, wire = payload_per_packet(base)
    streams = streams_per_process(base)
    lines: dict[str, list[float]] = {}
    if base.path.rate is not None:
        lines["link"] = [float(base.path.rate.value * payload / wire)] * len(rtts_s)
    ends = [base.with_({"path.rtt": float(rtt), "path.pep": False, "path.pep_rate": None}) for rtt in rtts_s]
    lines["window"] = [float(Transport.of(end, Draws(0), reverse=False).window_limit_bps.flat[0]) for end in ends]
    if base.path.loss.value > 0 and base.sender is not None:
        figures = limits.tcp(
            np.asarray(rtts_s, dtype=float),
            loss=base.path.loss.value,
            loss_burst=base.path.loss_burst.value,
            mtu=base.path.mtu,
            congestion_control=base.sender.congestion_control,
            streams=streams,
        )
        lines["loss"] = list(np.asarray(figures["loss_limit_bps"], dtype=float))
    return pd.DataFrame(
        [
            {"x": float(rtt), "line": name, "throughput_bps": value}
            for name, values in lines.items()
            for rtt, value in zip(rtts_s, values, strict=True)
        ]
    )


def flights(
    runs: pd.DataFrame, *, mtu: int = 9000, congestion_control: Control = "cubic", least_rtt_s: float = 0.0
) -> pd.DataFrame:
    """Compute what each run of TCP had in flight, and the long-run limit by its retransmissions.

    Parameters
    ----------
    runs
        The table ``runs``; those without a throughput or a round trip are left out.
    mtu, congestion_control
        Largest IP packet of the path [bytes], and congestion control of the sender.
    least_rtt_s
        Runs over shorter paths are left out. [s]

    Returns
    -------
    DataFrame
        `FLIGHTS`: ``flight_bytes`` is throughput times round trip, the average window of the run;
        ``sent_again_fraction`` is its retransmissions over its packets, at least the loss; ``loss_limit_bps`` is the
        long-run limit by as many losses in bursts of `SENT_TOGETHER`, infinite for none and missing if retransmissions
        are unknown.

    Examples
    --------
    >>> runs = pd.DataFrame({"throughput_bps": [7.03e9], "rtt_s": [0.08], "duration_s": [30.0], "retransmits": [0]})
    >>> flights(runs)[["flight_bytes", "packets"]].round(-3).to_dict("records")
    [{'flight_bytes': 70300000.0, 'packets': 2946000.0}]
    """
    table = runs.reindex(
        columns=sorted(
            {*runs.columns, *FLIGHTS, "protocol", "throughput_bps", "sender_throughput_bps", "bytes", "error"}
        )
    )
    rate, rtt = run_rates(table), _numbers(table, "rtt_s")
    udp = (table["protocol"].astype("string") == "udp").fillna(False).to_numpy(dtype=bool)  # noqa: FBT003 - what is missing stays
    known = (rate > 0) & (rtt > 0) & (rtt >= least_rtt_s) & ~udp
    table, rate, rtt = table[known], rate[known], rtt[known]
    amount = _numbers(table, "bytes")
    amount = np.where(np.isnan(amount), rate * _numbers(table, "duration_s") / 8, amount)
    packets = np.ceil(amount / float(framing.payload_bytes(mtu)))
    again = _numbers(table, "retransmits")
    share = np.minimum(again / packets, 1.0)
    limit = np.full(len(table), np.nan)
    if (judged := ~np.isnan(share)).any():
        figures = limits.tcp(
            rtt[judged],
            loss=share[judged],
            loss_burst=SENT_TOGETHER,
            mtu=mtu,
            congestion_control=congestion_control,
        )
        limit[judged] = figures["loss_limit_bps"]
    rows = table.assign(
        measured_bps=rate,
        rtt_s=rtt,
        flight_bytes=rate * rtt / 8,
        packets=packets,
        sent_again_fraction=share,
        loss_limit_bps=limit,
    )
    return pd.DataFrame(rows[list(FLIGHTS)]).reset_index(drop=True)


def windows_needed(
    rates_bps: Iterable[float], rtts_s: Iterable[float], *, mtu: int = 9000, kernel: str = "6.18"
) -> pd.DataFrame:
    """Compute what one stream needs to fill a path: its window, the sysctl for it, and the tolerable loss.

    Parameters
    ----------
    rates_bps, rtts_s
        Line rates of Ethernets [bit/s], and round trips [s].
    mtu, kernel
        Largest IP packet [bytes], and Linux version of the receiver, which sets the overhead of its buffers.

    Returns
    -------
    DataFrame
        `NEEDS`, one row per round trip and rate. ``window_bytes`` is the payload in flight on a full path,
        ``tcp_rmem_bytes`` the third value of `tcp_rmem` for that window, divided over ``streams``, the fewest that
        suffice since TCP announces at most 1 GiB. ``reno_loss`` and ``cubic_loss`` are the loss probabilities at which
        one stream still holds such a window on average; the recovery times are those from one loss back to the window
        before it, without a queue that absorbs it.

    Examples
    --------
    >>> windows_needed([10e9, 400e9], [0.08])["streams"].tolist()
    [1, 4]
    """
    rows = []
    payload = float(framing.payload_bytes(mtu))
    share = float(tcp_window.window_from_space(1.0, kernel=kernel, mss_bytes=payload))
    for rtt in rtts_s:
        for rate in rates_bps:
            window = float(framing.goodput_bps(rate, mtu)) * rtt / 8
            streams = int(np.ceil(window / tcp_window.LARGEST_WINDOW))
            packets = window / payload
            rows.append(
                {
                    "rtt_s": rtt,
                    "rate_bps": rate,
                    "window_bytes": window,
                    "tcp_rmem_bytes": window / streams / share,
                    "streams": streams,
                    "reno_loss": tcp_loss.reno_loss(packets),
                    "cubic_loss": tcp_loss.cubic_loss(packets, rtt),
                    "reno_recovery_s": tcp_loss.reno_recovery_s(packets, rtt),
                    "cubic_recovery_s": tcp_loss.cubic_recovery_s(packets),
                }
            )
    return pd.DataFrame(rows, columns=list(NEEDS))


def _numbers(frame: pd.DataFrame, name: str) -> Any:  # noqa: ANN401 - an array of floats
    return pd.to_numeric(frame[name]).to_numpy(dtype=float, na_value=np.nan)
