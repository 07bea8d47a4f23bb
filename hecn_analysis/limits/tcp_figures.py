"""The figures of `hecn limits tcp`: throughput of TCP under a window, losses and a limited time."""

from typing import Final, Literal

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Fraction,
    Number,
    Rate,
    Time,
    arrays,
    given,
    refuse,
    require_between,
    require_not_negative,
    require_positive,
    require_whole,
    require_word,
)
from hecn_analysis.limits.framing import FRAME_OVERHEAD, header_bytes
from hecn_analysis.limits.tcp_loss import cubic_loss, cubic_window, reno_loss, reno_window
from hecn_analysis.limits.tcp_rounds import CONGESTION_CONTROLS, MAX_ROUNDS, simulate
from hecn_analysis.limits.tcp_window import bdp_bytes, window_limit_bps

HEADERS: Final = header_bytes()
"""IPv4 and TCP headers with timestamps in each packet. [B]"""
DRAWS: Final = 64
"""Random runs of a lossy path, of which the median is given."""


def tcp(
    rtt: Time,
    *,
    window: Bytes | None = None,
    loss: Fraction = 0.0,
    loss_burst: Count = 1,
    mtu: Bytes = 1500,
    rate: Rate | None = None,
    queue: Bytes | None = None,
    congestion_control: Literal["reno", "cubic", "bbr", "htcp", "bic"] = "cubic",
    streams: Count = 1,
    duration: Time | None = None,
    bytes: Bytes | None = None,  # noqa: A002 named like the option
) -> dict[str, Number]:
    """Return the throughput of TCP over a path, and the limits that set it.

    With a rate, the long run is that of 1000 round trips, and of 240 s at least, without the first 300 and 60 s.

    Parameters
    ----------
    rtt
        Round-trip time without queueing. [s]
    window
        Usable window of each stream; without it, the window is no limit. [bytes]
    loss
        Probability that a packet is lost. [fraction]
    loss_burst
        Packets lost together on average: TCP reduces its window once for all of them.
    mtu
        Largest IP packet. [bytes]
    rate
        Line rate of the Ethernet (a packet costs its IP length + 38 bytes); without it, the line is no limit. [bit/s]
    queue
        Queue at the narrowest port; without it, one bandwidth-delay product (BDP). [bytes]
    congestion_control
        The sender's congestion control.
    streams
        Parallel connections.
    duration
        Length of a test from its first byte; without it and without bytes, the long run. [s]
    bytes
        Amount to transfer, all streams together. [bytes]

    Returns
    -------
    dict
        `throughput_bps` of payload (for a lossy path with a rate the median of 64 simulated runs), `bdp_bytes` (NaN
        without a rate), `window_limit_bps` and `loss_limit_bps` (of all streams; infinite where nothing limits),
        `tolerable_loss` (the loss at which the loss limit is the line's goodput; NaN without a rate, and of
        controls other than Reno and CUBIC) and `time_s` (of the amount; NaN without bytes). The loss limit of Reno and
        CUBIC is a closed form for losses at even distances: random losses can leave more.

    Examples
    --------
    >>> tcp(rtt=0.1, loss=1e-4, mtu=1500)["loss_limit_bps"] / 1e6    # 187 packets each 100 ms, RFC 9438
    21.7
    >>> tcp(rtt=0.05, rate=10e9, mtu=9000, congestion_control="reno")["tolerable_loss"] * 1e8    # (1.2 / 6916)²
    3.01
    """
    require_positive(rtt=rtt)
    require_between(0, 1, loss=loss)
    require_between(HEADERS + 1, 65535, mtu=mtu)
    require_whole(1, streams=streams)
    refuse("loss_burst", loss_burst, np.asarray(loss_burst) < 1, "1 packet or more")
    require_word(CONGESTION_CONTROLS, congestion_control=congestion_control)
    no = np.nan
    optional = {"window": window, "rate": rate, "queue": queue, "duration": duration, "bytes": bytes}
    require_positive(**{k: v for k, v in optional.items() if v is not None and k != "queue"})
    if queue is not None:
        require_not_negative(queue=queue)
    t, p, burst, size, n, w, r, q, d, b = np.broadcast_arrays(
        *arrays(rtt=rtt, loss=loss, loss_burst=loss_burst, mtu=mtu, streams=streams),
        *(np.asarray(no) if v is None else arrays(**{k: v})[0] for k, v in optional.items()),
    )
    mss = size - HEADERS
    by_window = np.full(t.shape, np.inf) if window is None else n * np.asarray(window_limit_bps(w, t))
    line = np.full(t.shape, np.inf) if rate is None else r * mss / (size + FRAME_OVERHEAD)
    by_loss = _loss_limit(congestion_control, rtt=t, loss=p, burst=burst, mss=mss, streams=n, line=line)
    if rate is None:
        throughput = np.minimum(by_window, by_loss)
    else:
        long_run = np.isnan(d) & np.isnan(b)
        draws = DRAWS if np.any(p > 0) else 1
        values: dict[str, FloatArray] = {
            "rate_bps": r,
            "rtt_s": t,
            "mss_bytes": mss,
            "packet_overhead_bytes": np.full(t.shape, HEADERS + FRAME_OVERHEAD),
            "loss": p,
            "loss_burst": burst,
            "window_bytes": np.where(np.isnan(w) & (window is None), np.inf, w),
            "queue_bytes": q,
            "streams": n,
            "duration_s": np.where(long_run, np.maximum(1000 * t, 240.0), d),
            "transfer_bytes": b,
            "warm_up_s": np.where(long_run, np.maximum(300 * t, 60.0), 0.0),
        }
        runs = simulate(
            congestion_control=congestion_control,
            seed=0,
            most_rounds=MAX_ROUNDS,
            **{k: np.repeat(v[..., None], draws, axis=-1) for k, v in values.items()},
        )
        throughput = np.median(runs.throughput_bps, axis=-1)
    return {
        "throughput_bps": given(throughput),
        "bdp_bytes": given(np.full(t.shape, np.nan) if rate is None else bdp_bytes(r, t)),
        "window_limit_bps": given(by_window),
        "loss_limit_bps": given(by_loss),
        "tolerable_loss": given(_tolerable_loss(congestion_control, line * t / 8 / n / mss, t) * burst),
        "time_s": given(b * 8 / throughput),
    }


def _tolerable_loss(control: str, packets: FloatArray, rtt: FloatArray) -> FloatArray:
    """Events of loss per packet at which each stream holds the packets of a full line in flight; NaN if unknown."""
    if control not in ("reno", "cubic"):
        return np.full(packets.shape, np.nan)
    fills = np.isfinite(packets) & (packets > 1)
    window = np.where(fills, packets, 2.0)
    loss = np.asarray(reno_loss(window) if control == "reno" else cubic_loss(window, rtt))
    return np.where(fills, loss, np.nan)


def _loss_limit(
    control: str,
    *,
    rtt: FloatArray,
    loss: FloatArray,
    burst: FloatArray,
    mss: FloatArray,
    streams: FloatArray,
    line: FloatArray,
) -> FloatArray:
    """Rate of all streams that random loss alone would allow in the long run, in bit/s."""
    if control == "bbr":  # keeps its pace up to a loss of 20 %, where probing for bandwidth gains nothing any more
        return np.where(loss > 0, line * (1 - loss), np.inf)
    if control in ("reno", "cubic"):
        events = loss / burst
        window = np.asarray(reno_window(events) if control == "reno" else cubic_window(events, rtt))
        return window * mss * 8 / rtt * streams * (1 - loss)
    # no simple closed form: simulated on a path that is far too fast to matter
    runs = simulate(
        rate_bps=1e18,
        rtt_s=rtt,
        mss_bytes=mss,
        loss=np.where(loss == 0, np.nan, loss),
        loss_burst=burst,
        congestion_control=control,
        duration_s=np.maximum(2000 * rtt, 600.0),
        warm_up_s=np.maximum(300 * rtt, 60.0),
    )
    return np.where(loss == 0, np.inf, runs.throughput_bps * streams)
