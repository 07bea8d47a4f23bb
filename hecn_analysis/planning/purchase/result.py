"""A purchase for two hosts: what to buy, what it costs, what it should reach; and a front of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from hecn_analysis.planning.purchase.builds import Entry, HostBuild, Line, Role
from hecn_analysis.prediction import Prediction


@dataclass(frozen=True)
class Purchase:
    """What to buy for two hosts, and what it should reach.

    Attributes
    ----------
    target_bps
        What was asked for. [bit/s]
    hosts, line
        What each host is made of, and the links between them.
    entries
        The bill of materials.
    prediction
        The transfer with it.
    rounds, cuts
        How many purchases were predicted, and how many groups of parts were ruled out.

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

    @property
    def usd(self) -> float:
        """Price of everything [USD]."""
        return sum(entry.quantity * entry.price_usd for entry in self.entries)

    @property
    def doubt_usd(self) -> float:
        """What it may cost more or less, as far as its prices are assumed [USD]."""
        return sum(entry.doubt_usd for entry in self.entries)

    @property
    def assumed_usd(self) -> float:
        """Part of the price that rests on prices which are only assumed [USD]."""
        return sum(entry.quantity * entry.price_usd for entry in self.entries if entry.assumed)

    def drives(self) -> list[dict[str, Any]]:
        """Kinds of drives that the receiver writes to: what each writes for a short time and goes on writing.

        Returns
        -------
        list of dict
            ``part``, ``title``, ``write_bps``, ``sustained_write_bps`` [bit/s], ``spread`` [fraction], ``basis`` and
            ``source`` of the sustained rate; none where nothing is written to drives.
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

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain objects.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {
            "target_bps": self.target_bps,
            "price_usd": self.usd,
            "price_doubt_usd": self.doubt_usd,
            "price_assumed_usd": self.assumed_usd,
            "throughput_bps": self.prediction.throughput_bps,
            "low_bps": self.prediction.low_bps,
            "high_bps": self.prediction.high_bps,
            "bottleneck": self.prediction.bottleneck,
            "rounds": self.rounds,
            "cuts": self.cuts,
            "drives": self.drives(),
            "bill": self.to_frame().to_dict("records"),
            "scenario": dict(self.prediction.scenario.keys),
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a line of the bill: host, part, title, quantity, price of one and of all, where it is from.

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
        return pd.DataFrame(
            rows, columns=["host", "part", "title", "quantity", "price_usd", "total_usd", "basis", "source"]
        )

    def __str__(self) -> str:
        """Say what it costs and reaches."""
        doubt = f" (give or take ${self.doubt_usd:,.0f}, where prices are assumed)" if self.doubt_usd else ""
        return f"${self.usd:,.0f}{doubt} for both hosts. {self.prediction}"


def front_frame(found: Iterable[Purchase]) -> pd.DataFrame:
    """One row a purchase of a front: price, throughput, what holds it back, and what each further dollar bought."""
    rows: list[dict[str, Any]] = []
    for one in found:
        before = rows[-1] if rows else None
        gained = None
        if before is not None:
            gained = (one.prediction.throughput_bps - before["throughput_bps"]) / (one.usd - before["price_usd"])
        rows.append(
            {
                "price_usd": one.usd,
                "throughput_bps": one.prediction.throughput_bps,
                "bps_per_dollar": gained,
                "bottleneck": one.prediction.bottleneck,
            }
        )
    return pd.DataFrame(rows, columns=["price_usd", "throughput_bps", "bps_per_dollar", "bottleneck"])
