"""What the runs of a folder should have been: a prediction for each kind of run, from what the folder itself says.

A verdict never says more than is known. Where what binds in the prediction is itself assumed, the verdict is under that
condition; where nothing sets a limit, there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError
from hecn_analysis.hardware import load_scenario
from hecn_analysis.ingest.folder import Folder
from hecn_analysis.prediction import Prediction, predict
from hecn_analysis.report import known
from hecn_analysis.report.known import Fact
from hecn_analysis.report.signs import Signs, signs_of
from hecn_analysis.runs.alike import groups

#: Kinds of run that are predicted, those with most runs.
MOST: Final = 12

INSIDE, BELOW, ABOVE = "as expected", "below", "above"
ON_ASSUMPTION = "{} (assumed limit)"
NOT_COMPARED = "not compared"

#: Tools that are described, by the names that their logs have; where the direction tells, with it.
_TOOLS: Final[Mapping[tuple[str, str] | str, str]] = {
    ("dd", "read"): "dd-read",
    ("dd", "write"): "dd-write",
    ("fio", "read"): "fio-read",
    ("fio", "write"): "fio-write",
    "ascp": "aspera",
    "globus-url-copy": "gridftp",
    "gpfsperf": "gpfs",
    "gridftp-server": "gridftp",
    "perftest": "perftest",
    **{
        name: name
        for name in ("bbftp", "dsync", "fdt", "ftp", "hpn-scp", "iperf3", "irods", "nttcp", "nuttcp", "nuttscp")
    },
    **{name: name for name in ("rdmacp", "rocketstream", "rsync", "scp", "ttcp", "xdd")},
}

_READS: Final = ("read", "get", "download")
_RECEIVES: Final = ("receive",)

CONDITIONS: Final = {
    "link": "path.rate",
    "nic": "path.rate",
    "window": "path.rtt",
}


@dataclass(frozen=True)
class Expected:
    """One kind of run, and what it should have been.

    Attributes
    ----------
    condition
        Words for the kind.
    group
        Its row of `hecn_analysis.runs.alike.groups`.
    runs
        Its runs with a rate.
    facts
        What the prediction rests on.
    prediction
        The prediction, None where there can be none.
    verdict
        as expected, below or above; with "(assumed limit)" if the bottleneck is assumed; not compared.
    why
        The verdict in a sentence.
    signs
        What the logs show beside the rate.
    """

    condition: str
    group: Mapping[str, Any]
    runs: pd.DataFrame
    facts: tuple[Fact, ...]
    prediction: Prediction | None
    verdict: str
    why: str
    signs: Signs = Signs()  # noqa: RUF009 - it cannot be changed

    @property
    def median_bps(self) -> float:
        """Median of its runs. [bit/s]."""
        return float(self.group["median_bps"])

    def fact(self, key: str) -> Fact | None:
        """What is known of a key.

        Parameters
        ----------
        key
            Key of a scenario: ``path.rtt``.

        Returns
        -------
        Fact or None
            Its value in SI, and what that rests on; None where nothing was asked about it.

        Examples
        --------
        >>> from hecn_analysis.base.places import data_dir
        >>> from hecn_analysis.ingest.folder import read_folder
        >>> one = expectations(read_folder(data_dir() / "logs" / "c-systems-dd.txt"))[0]
        >>> one.fact("sender").words, one.fact("path.rtt")
        ('no limit', None)
        """
        return next((fact for fact in self.facts if fact.key == key), None)


def expectations(folder: Folder) -> list[Expected]:
    """Predict each kind of run that a folder holds, those with most runs first.

    Parameters
    ----------
    folder
        What was read.

    Returns
    -------
    list of Expected
        Each with its prediction and its verdict; rates in bit/s.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.ingest.folder import read_folder
    >>> folder = read_folder(data_dir() / "transfers" / "after" / "nuttcp.txt")
    >>> {one.condition: one.verdict for one in expectations(folder)}
    {'nuttcp tcp send, 6 s, RTT below 5 ms': 'below (assumed limit)',
     'nuttcp tcp send, 6 s, RTT 12 ms': 'below (assumed limit)'}
    """
    table = groups(folder.runs)
    rated = table[table["runs"] > 0].head(MOST)
    good = folder.runs[folder.runs["rate_bps"].notna()]
    on_wire = good[good["protocol"] != "file"]
    by_distance = on_wire.groupby(on_wire["distance"].fillna(""))["rate_bps"].max()
    found = []
    for row in rated.to_dict("records"):
        distance = "" if pd.isna(row["distance"]) else row["distance"]
        fastest = float(by_distance.get(distance, np.nan))
        runs = good[good["condition"] == row["condition"]]
        found.append(_expected(folder, {str(key): value for key, value in row.items()}, runs, fastest))
    return found


def _expected(folder: Folder, group: Mapping[str, Any], runs: pd.DataFrame, fastest: float) -> Expected:
    condition = str(group["condition"])
    if group["protocol"] == "udp":
        why = "UDP sends at the requested rate, so its throughput does not show the capacity."
        return Expected(condition, group, runs, (), None, NOT_COMPARED, why)
    keys, facts = _scenario_keys(folder, group, runs, fastest)
    try:
        prediction = predict(load_scenario(keys))
    except HecnError as error:
        why = f"No prediction: {error}."
        return Expected(condition, group, runs, tuple(facts), None, NOT_COMPARED, why)
    if not prediction.ladder or not np.isfinite(prediction.throughput_bps):
        why = "The folder shows no limit for these runs: no line rate, no host, no storage."
        return Expected(condition, group, runs, tuple(facts), None, NOT_COMPARED, why)
    verdict, why = _verdict(float(group["median_bps"]), runs, prediction, facts)
    mtu = next((int(fact.value) for fact in facts if fact.key == "path.mtu" and fact.value is not None), 1500)
    ping = known.ping_rtt(folder)
    reading = folder.reading
    signs = signs_of(runs, reading.intervals, reading.streams, np.nan if ping is None else ping[0], mtu)
    return Expected(condition, group, runs, tuple(facts), prediction, verdict, why, signs)


def _scenario_keys(
    folder: Folder, group: Mapping[str, Any], runs: pd.DataFrame, fastest_bps: float
) -> tuple[dict[str, Any], list[Fact]]:
    """Keys of a scenario for a kind of run, and what they rest on."""
    tool, direction = str(group["tool"]), "" if pd.isna(group["direction"]) else str(group["direction"])
    model = _TOOLS.get((tool, direction), _TOOLS.get(tool))
    keys: dict[str, Any] = {"name": str(group["condition"])}
    keys |= {"tool.name": tool} if model is None else {"tool": model}
    on_disk = (group["protocol"] == "file" and model is None) or str(model).startswith(("dd-", "fio-"))
    hosts, facts = known.ends(folder, direction not in (*_RECEIVES, *_READS) or on_disk)
    if on_disk:
        reads = direction.endswith(_READS) or direction == "read"
        if model is None:
            keys |= {"tool.protocol": "file", "tool.source_end": "disk" if reads else "none"}
            keys |= {"tool.sink_end": "none" if reads else "disk"}
        local = hosts["sender"] if isinstance(hosts["sender"], Mapping) else hosts["receiver"]
        role = "sender" if reads else "receiver"
        own = [fact for fact in facts if fact.basis == "captured"][:1] or [
            Fact(role, "host", None, "no limit", "assumed", "no host is captured: its storage is unknown", "any")
        ]
        return {**keys, role: local, f"{role}.name": hosts.get("sender.name", "ideal")}, own
    keys |= hosts
    rate = known.line_rate(folder, fastest_bps)
    facts = [
        rate,
        known.packet_size(folder, rate, float(runs["rate_bps"].max())),
        known.round_trip(folder, runs),
        *facts,
    ]
    for fact in facts:
        keys |= fact.setting()
    if rate.value is None:
        keys.setdefault("path.rtt", 0.0)
    keys |= _extent(group, runs)
    return keys, facts


def _extent(group: Mapping[str, Any], runs: pd.DataFrame) -> dict[str, Any]:
    """Streams, and how long or how much."""
    keys: dict[str, Any] = {}
    if not pd.isna(group["streams"]):
        keys["tool.streams"] = int(group["streams"])
    duration, amount = runs["duration_s"].astype(float).median(), runs["bytes"].astype(float).median()
    by_time = not pd.isna(group["extent"]) and str(group["extent"]).endswith(" s")
    if by_time and duration > 0:
        keys["tool.duration"] = float(duration)
    elif amount > 0:
        keys["tool.bytes"] = float(amount)
    return keys


def _verdict(median_bps: float, runs: pd.DataFrame, prediction: Prediction, facts: Sequence[Fact]) -> tuple[str, str]:
    """Judge the median of some runs by their prediction."""
    rate = units.format_rate
    low, high, binds = prediction.low_bps, prediction.high_bps, prediction.ladder[0]
    condition = next(
        (fact for fact in facts if fact.key == CONDITIONS.get(binds.resource_class) and not fact.is_known), None
    )
    inside = int(((runs["rate_bps"] >= low) & (runs["rate_bps"] <= high)).sum())
    verdict = BELOW if median_bps < low else ABOVE if median_bps > high else INSIDE
    expected = f"{rate(prediction.throughput_bps)} ({rate(low)} to {rate(high)}), limited by {binds.title}"
    part = median_bps / prediction.throughput_bps
    if condition is None:
        words = f"{rate(median_bps)} measured, {part:.0%} of the expected {expected}"
    else:
        verdict = ON_ASSUMPTION.format(verdict)
        words = (
            f"{rate(median_bps)} measured, {part:.0%} of the expected throughput if the {condition.name} is "
            f"{condition.words}, which the folder does not confirm: {expected}"
        )
    of = f"; {inside} of {len(runs)} runs lie within the interval" if len(runs) > 1 else ""
    return verdict, f"{words}{of}."


def table(found: Sequence[Expected]) -> pd.DataFrame:
    """One row a kind of run, as the figure and the table of measured against predicted take it."""
    rows = []
    for one in found:
        predicted = one.prediction
        first = one.runs.iloc[0]
        rows.append(
            {
                "series": "folder",
                "series_title": "",
                "case": one.condition,
                "title": one.condition,
                "runs": len(one.runs),
                "measured_bps": one.median_bps,
                "measured_low_bound": False,
                "predicted_bps": np.nan if predicted is None else predicted.throughput_bps,
                "low_bps": np.nan if predicted is None else predicted.low_bps,
                "high_bps": np.nan if predicted is None else predicted.high_bps,
                "bottleneck": None if predicted is None else predicted.bottleneck,
                "bottleneck_class": None if predicted is None else predicted.bottleneck_class,
                "bottleneck_title": None if predicted is None else predicted.ladder[0].title,
                "verdict": one.verdict,
                "why": one.why,
                "source_file": str(first["source_file"]).rpartition("/")[2],
                "line_first": first["line_first"],
                "line_last": first["line_last"],
            }
        )
    columns = list(rows[0]) if rows else [*_COLUMNS]
    return pd.DataFrame(rows, columns=columns)


_COLUMNS: Final = (
    *("series", "series_title", "case", "title", "runs", "measured_bps", "measured_low_bound", "predicted_bps"),
    *("low_bps", "high_bps", "bottleneck", "bottleneck_class", "bottleneck_title", "verdict", "why", "source_file"),
    *("line_first", "line_last"),
)


def facts_table(found: Sequence[Expected]) -> pd.DataFrame:
    """List each fact that the predictions rest on once, with its basis, source and spread."""
    shared: dict[tuple[str, str, str], list[Fact]] = {}
    for one in found:
        for fact in one.facts:
            shared.setdefault((fact.name, fact.words, fact.basis), []).append(fact)
    order = ("assumed", "concluded", "logged", "counted", "captured")
    rows = [
        {
            **{name: getattr(facts[0], name) for name in ("name", "words", "basis", "spread")},
            "source": "; or: ".join(dict.fromkeys(fact.source for fact in facts)),
            "kinds": len(facts),
        }
        for facts in sorted(shared.values(), key=lambda same: order.index(same[0].basis))
    ]
    return pd.DataFrame(rows, columns=["name", "words", "basis", "source", "spread", "kinds"])
