"""Lost packets and their fraction, computed from counts: a printed fraction is rounded."""

from __future__ import annotations

import numpy as np

from hecn_analysis.logs.contract import Array


def loss_columns(sent: int, received: int) -> dict[str, object]:
    """Return the columns of the loss; none where more packets came back than were sent."""
    if not 0 <= received <= sent:
        return {}
    return {"lost_packets": sent - received, "loss_fraction": (sent - received) / sent if sent else None}


def loss_fractions(lost: Array, packets: Array) -> Array:
    """Return the loss of each row, NaN where a count is missing or more packets are lost than sent."""
    fractions = np.full(len(lost), np.nan)
    np.divide(lost, packets, out=fractions, where=(packets > 0) & (lost <= packets))
    return fractions
