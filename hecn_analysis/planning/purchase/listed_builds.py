"""The builds of the documents: list price, measured throughput, and the cheapest alternative from the same list.

The price of a build covers both ends of its test, in dollars of the year of its list, without inflation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError, unknown_name
from hecn_analysis.base.progress import track
from hecn_analysis.planning.purchase.cheapest import purchase
from hecn_analysis.planning.purchase.offers import offered_by
from hecn_analysis.planning.purchase.options import Level
from hecn_analysis.planning.purchase.result import Purchase
from hecn_analysis.prediction.compare import load_series, measured


@dataclass(frozen=True)
class Build:
    """A build with a price list and a throughput from the documents."""

    hosts: Mapping[str, int]  # hosts with a bill, and the number of each in the test
    # their measurement
    series: str
    case: str
    between: Literal["memory", "disk"]  # from memory to memory or from disk to disk
    path: str  # path of the alternative purchase
    raid: Level = 0  # level of the measured arrays; RAID 50 is bought as RAID 5
    note: str = ""  # remark for the reader


BUILDS: Final = {
    "A+": Build({"a+": 2}, "a-systems", "aplus-8x10ge-uni", "memory", "back-to-back-8x10ge"),
    "A++": Build(
        {"a++": 1, "a+": 2},
        *("a-systems", "aplusplus-12x10ge-tx", "memory", "back-to-back-12x10ge"),
        note="one A++ sent to two A+; from its list the program buys two of one kind",
    ),
    "i7-HotLava": Build(
        {"i7-hotlava": 1, "a": 1, "a-": 1},
        *("hotlava", "hotlava-tx256", "memory", "back-to-back-6x10ge"),
        note="less than the price given; its two receivers are taken as an A and an A- by their cards",
    ),
    "B": Build({"b": 2}, "b-disk-to-disk", "b-raid50-lan", "disk", "lan-10ge", 5),
    "C": Build({"c": 2}, "c-disk-to-disk", "c-6of7", "disk", "lan-2x10ge", 5),
    "XSSD1++": Build(
        {"xssd1++": 2},
        *("ssd", "xssd-lan", "disk", "lan-4x10ge", 5),
        note="measured with XSSD systems, whose parts are taken to be those of the list",
    ),
    "X100SSD": Build({"x100ssd": 2}, "ssd", "sc12-back-to-back", "disk", "back-to-back-4x40ge"),
}

COLUMNS: Final = (
    *(
        "build",
        "year",
        "between",
        "hosts",
        "list_usd",
        "list_at_most",
        "price_usd",
        "measured_bps",
        "measured_low_bound",
    ),
    *("usd_per_gbps", "instead_usd", "instead_assumed_usd", "instead_bps", "instead", "note"),
    *("source_file", "line_first", "line_last", "document", "place"),
)


def listed_builds(names: Iterable[str] = (), *, instead: bool = True) -> pd.DataFrame:
    """Price and throughput of the documents' builds, and the cheapest alternative from the same list.

    Parameters
    ----------
    names
        Names in `BUILDS`; default: all.
    instead
        Also find the cheapest purchase from the list that reaches the measured throughput.

    Returns
    -------
    DataFrame
        One row a build, columns `COLUMNS`: ``list_usd`` is the total that the document states for a host (an upper
        bound if ``list_at_most``), ``price_usd`` that of all hosts of the test, ``usd_per_gbps`` the latter over the
        measured throughput (an upper bound if either is a bound); ``instead_…`` are price and prediction of the
        alternative, ``instead_assumed_usd`` the part of its price that the list does not give.

    Raises
    ------
    InputError
        The name is unknown.

    Examples
    --------
    >>> listed_builds(["A++"], instead=False)[["hosts", "list_usd", "price_usd"]].to_dict("records")
    [{'hosts': '1 x A++ + 2 x A+', 'list_usd': 11080, 'price_usd': 24080}]
    """
    chosen = list(names) or list(BUILDS)
    for name in chosen:
        if name not in BUILDS:
            raise unknown_name("build", name, BUILDS)
    rows = [_row(name, BUILDS[name], instead=instead) for name in track(chosen, "builds")]
    return pd.DataFrame(rows, columns=list(COLUMNS)).convert_dtypes()


def _row(name: str, build: Build, *, instead: bool) -> dict[str, Any]:
    series = load_series(build.series)
    case = series.cases[build.case]
    seen = measured(case, series)
    bills = {host: offered_by(host)[2] for host in build.hosts}
    totals = {host: bill.total.value for host, bill in bills.items() if bill.total is not None}
    first = next(iter(build.hosts))
    price = sum(count * totals[host] for host, count in build.hosts.items())
    row = {
        "build": name,
        "year": bills[first].year,
        "between": build.between,
        "hosts": " + ".join(f"{count} x {host.upper()}" for host, count in build.hosts.items()),
        "list_usd": totals[first],
        "list_at_most": bills[first].at_most,
        "price_usd": price,
        **{key: seen[key] for key in ("measured_bps", "measured_low_bound", "source_file", "line_first", "line_last")},
        "usd_per_gbps": price / (seen["measured_bps"] / 1e9),
        "note": build.note,
        "document": series.document,
        "place": case.place,
    }
    return row | (_instead(first, build, seen["measured_bps"]) if instead else {})


def _instead(host: str, build: Build, target_bps: float) -> dict[str, Any]:
    """Cheapest purchase from the list of a host that is predicted to reach the measured throughput, if any is."""
    settings = {"tool.io": "direct"} if build.between == "disk" else {}
    asked: dict[str, Any] = {"path": build.path, "between": build.between, "like": host, "raid": build.raid}
    try:
        bought = purchase(target_bps, **asked, settings=settings)
    except InputError:
        return {"instead": "no purchase from this list is predicted to reach it"}
    changed = {entry.part: entry for entry in bought.entries if entry.part}
    words = ", ".join(f"{entry.quantity} {entry.title or part}" for part, entry in changed.items())
    return {
        "instead_usd": bought.usd,
        "instead_assumed_usd": bought.assumed_usd,
        "instead_bps": bought.prediction.throughput_bps,
        "instead": f"each host: {words}",
    }


#: Share of a line rate to reach; Ethernet, IP and TCP leave 0.99 of it with packets of 9000 bytes.
FILLED: Final = 0.95


def filled_links(rates: Iterable[str | float], *, rtt: str | float, assume_prices: bool) -> dict[str, Purchase]:
    """Cheapest hosts today that fill a link without loss from disk to disk, by line rate.

    Parameters
    ----------
    rates
        Line rates [bit/s].
    rtt
        Round-trip time of the link [s].
    assume_prices
        Also buy parts whose price is only assumed.

    Returns
    -------
    dict
        Purchases by line rate in words; their price is ``usd`` [USD].

    Raises
    ------
    InputError
        No purchase fills one of the links.

    Examples
    --------
    >>> {rate: bought.prediction.throughput_bps > 9e9 for rate, bought in
    ...  filled_links(["10 Gb/s"], rtt="80 ms", assume_prices=True).items()}
    {'10.0 Gb/s': True}
    """
    by_rate = {}
    for rate in track(list(rates), "links"):
        line = units.parse(rate, "rate", name="link")
        path = {"rate": line, "rtt": rtt, "mtu": 9000, "loss": 0}
        by_rate[units.format_rate(line)] = purchase(
            FILLED * line, path=path, between="disk", assume_prices=assume_prices, settings={"tool.io": "direct"}
        )
    return by_rate
