"""A purchase for two hosts: parts, price and predicted throughput; and a front of several purchases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.tables import with_units
from hecn_analysis.planning.purchase.builds import Entry, HostBuild, Line, Role
from hecn_analysis.planning.purchase.options import usable_bytes
from hecn_analysis.prediction import Prediction


@dataclass(frozen=True)
class Purchase:
    """A purchase for two hosts, and its prediction.

    ``target_bps`` is the target throughput [bit/s], ``entries`` the bill of materials; ``rounds`` and ``cuts`` are the
    numbers of predicted purchases and of combinations of parts ruled out. Every purchase that is cheaper falls short of
    ``asked_bps`` by the central values of the model [bit/s]. ``raid`` is the level of the arrays.

    Examples
    --------
    >>> from hecn_analysis.planning.purchase.cheapest import purchase
    >>> bought = purchase("9 Gb/s", path="lan-10ge", between="memory", assume_prices=True)
    >>> round(bought.to_dict()["price_usd"]) == round(bought.usd), len(bought.to_frame()) == len(bought.entries)
    (True, True)
    """

    target_bps: float
    hosts: Mapping[Role, HostBuild]
    line: Line
    entries: tuple[Entry, ...]
    prediction: Prediction
    rounds: int
    cuts: int
    asked_bps: float
    raid: int = 0

    @property
    def usd(self) -> float:
        """Price of everything [USD]."""
        return sum(entry.quantity * entry.price_usd for entry in self.entries)

    @property
    def doubt_usd(self) -> float:
        """Uncertainty of the price, from its assumed prices [USD]."""
        return sum(entry.doubt_usd for entry in self.entries)

    @property
    def assumed_usd(self) -> float:
        """Part of the price that comes from assumed prices [USD]."""
        return sum(entry.quantity * entry.price_usd for entry in self.entries if entry.assumed)

    @property
    def target_probability(self) -> float:
        """Share of the prediction's draws that reach the target. [1]."""
        return float(np.mean(self.prediction.draws_bps >= self.target_bps))

    def drives(self) -> list[dict[str, Any]]:
        """Kinds of drives that the receiver writes to, with their short-term and sustained write rates.

        Returns
        -------
        list of dict
            ``part``, ``title``, ``write_bps``, ``sustained_write_bps`` [bit/s], ``spread`` [fraction], ``basis`` and
            ``source`` of the sustained rate; empty if nothing is written to drives.
        """
        scenario = self.prediction.scenario
        if scenario.receiver is None or scenario.tool.sink_end != "disk":
            return []
        disks = {array.disk.part: array.disk for array in scenario.receiver.arrays.values()}
        return [
            {
                "part": name,
                "title": disk.title,
                "write_bps": disk.write_rate.value,
                "sustained_write_bps": disk.lasting_write_rate.value,
                "spread": disk.lasting_write_rate.spread,
                "basis": disk.lasting_write_rate.basis,
                "source": disk.lasting_write_rate.source or disk.source,
            }
            for name, disk in disks.items()
        ]

    @property
    def capacity_bytes(self) -> dict[str, float]:
        """Usable capacity of the drives of each host, by role [B]; without hosts that have none."""
        return {
            role: storage.arrays * usable_bytes(storage.disk, storage.disks, self.raid)
            for role, host in self.hosts.items()
            if (storage := host.storage) is not None
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain objects.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {
            "target_bps": self.target_bps,
            "target_probability": self.target_probability,
            "asked_bps": self.asked_bps,
            "price_usd": self.usd,
            "price_doubt_usd": self.doubt_usd,
            "price_assumed_usd": self.assumed_usd,
            "throughput_bps": self.prediction.throughput_bps,
            "low_bps": self.prediction.low_bps,
            "high_bps": self.prediction.high_bps,
            "bottleneck": self.prediction.bottleneck,
            "rounds": self.rounds,
            "cuts": self.cuts,
            "capacity_bytes": self.capacity_bytes,
            "drives": self.drives(),
            "bill": self.to_frame().to_dict("records"),
            "scenario": dict(self.prediction.scenario.keys),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a line of the bill: host, part, title, quantity, unit and total price, and the source of the price.

        Returns
        -------
        DataFrame
            Prices in USD.
        """
        rows = [
            {
                "host": entry.role,
                "part": entry.part,
                "title": entry.title,
                "quantity": entry.quantity,
                "price_usd": entry.price_usd,
                "total_usd": entry.quantity * entry.price_usd,
                "basis": "" if isinstance(entry.price, float) else entry.price.basis,
                "source": "" if isinstance(entry.price, float) else entry.price.source,
            }
            for entry in self.entries
        ]
        columns = ["host", "part", "title", "quantity", "price_usd", "total_usd", "basis", "source"]
        return with_units(pd.DataFrame(rows, columns=columns))

    def __str__(self) -> str:
        """Price and prediction in words."""
        doubt = f" (± ${self.doubt_usd:,.0f} from assumed prices)" if self.doubt_usd else ""
        probability = f"a probability of {units.format_probability(self.target_probability)}"
        reached = f"{units.format_rate(self.target_bps)} is reached with {probability}."
        return f"${self.usd:,.0f}{doubt} for both hosts. {self.prediction} {reached}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show the sentence and the bill of materials in a notebook."""
        columns = {"host": "host", "title": "part", "quantity": "number", "price_usd": "price (USD)"}
        bill = self.to_frame()[list(columns)].rename(columns=columns)
        return f"<p>{html_text(str(self))}</p>{bill.to_html(index=False)}"


def front_frame(purchases: Iterable[Purchase]) -> pd.DataFrame:
    """One row a purchase of a front: price, throughput, limit, and throughput gained per further dollar."""
    rows: list[dict[str, Any]] = []
    for purchase in purchases:
        before = rows[-1] if rows else None
        gained = None
        if before is not None:
            gained = (purchase.prediction.throughput_bps - before["throughput_bps"]) / (
                purchase.usd - before["price_usd"]
            )
        rows.append(
            {
                "price_usd": purchase.usd,
                "throughput_bps": purchase.prediction.throughput_bps,
                "bps_per_dollar": gained,
                "bottleneck": purchase.prediction.bottleneck,
            }
        )
    return pd.DataFrame(rows, columns=["price_usd", "throughput_bps", "bps_per_dollar", "bottleneck"])
