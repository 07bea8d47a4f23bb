"""How TCP streams of unlike round-trip times share a full link.

All streams through a full queue lose the same share p of their packets. What a stream then carries follows from its
response function: RFC 5681 (Mathis et al. 1997) for Reno, W = 1.2 / sqrt(p), and RFC 9438, section 5.1, for CUBIC,
W = 1.054 (RTT / p)^(3/4), or that of Reno where it is larger. A Reno stream carries in proportion to 1 / RTT, a CUBIC
stream on a fast long path to RTT^(-1/4) only. The loss p is the one at which the transfers that cross a link fill it.

BBR, BIC and H-TCP count as CUBIC, and so do UDP and RDMA, which keep their rate: an engineer's judgement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.prediction.solve import BoolArray

#: sqrt(3 / 2): window of Reno in packets, times the root of the loss (RFC 9438, figure 4).
_RENO: Final = 1.5**0.5
#: (C (3 + beta) / (4 (1 - beta)))^(1/4) with C = 0.4 and beta = 0.7 (RFC 9438, figure 4).
_CUBIC: Final = (0.4 * 3.7 / 1.2) ** 0.25

#: Shortest round-trip time that counts: switches and hosts alone take this long. [s]
_LEAST_RTT: Final = 1e-5

_SEARCH: Final = (1e-16, 0.5)
_HALVINGS: Final = 60


def stream_rate(loss: FloatArray | float, rtt_s: FloatArray, is_reno: BoolArray) -> FloatArray:
    """Packets per second of a TCP stream that loses a share of its packets [1/s]."""
    rtt = np.maximum(rtt_s, _LEAST_RTT)
    reno = _RENO / np.sqrt(loss)
    cubic = np.maximum(_CUBIC * (rtt / loss) ** 0.75, reno)
    return np.asarray(np.where(is_reno, reno, cubic) / rtt)


def shares(rate_packets: float, streams: FloatArray, rtt_s: FloatArray, is_reno: BoolArray) -> FloatArray:
    """Weights of transfers that share a link: their rates at the loss at which they fill it, relative to the mean."""
    low, high = _SEARCH
    for _ in range(_HALVINGS):
        middle = (low * high) ** 0.5
        if (streams * stream_rate(middle, rtt_s, is_reno)).sum() > rate_packets:
            low = middle
        else:
            high = middle
    rates = streams * stream_rate(high, rtt_s, is_reno)
    return np.asarray(rates / rates.mean())
