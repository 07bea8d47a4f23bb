r"""What holds runs back: candidates with a probability, from the prediction and from what the logs show.

Each candidate :math:`i` says a throughput :math:`L_i`, with a standard deviation :math:`s_i` of its logarithm. A run
that it holds back is near to that throughput, so that a measured median :math:`m` speaks for it by

.. math:: w_i = p_i\, \frac{1}{s_i \sqrt{2 \pi}} \exp\left(-\frac{(\ln m - \ln L_i)^2}{2 s_i^2}\right)

with its weight before the measurement, :math:`p_i`. Something that the folder does not show (another core, a disk,
other traffic, a shaper) may hold them back anywhere: its weight is even over the logarithms of three decades. So is
that of a narrow place and of a window whose size nobody knows, where logs have more than a rate. Each weight is taken
times the likelihood of what else the logs show (`hecn_analysis.report.signs`). The probabilities are the weights over
their sum: they say which of these fits, and never rule out what nobody thought of.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.base.errors import ValidityWarning
from hecn_analysis.limits import framing
from hecn_analysis.report.expected import Expected
from hecn_analysis.report.known import goodput

#: Density of causes outside the folder, over the logarithm of three decades.
_ANYTHING: Final = 1 / math.log(1000)

#: Standard deviations of the logarithm of a predicted limit, by its class; and of others.
_SPREADS: Final = {"link": 0.02, "window": 0.12, "nic": 0.1, "slot": 0.1, "cpu": 0.25, "start-up": 0.1, "tool": 0.2}
_SPREAD: Final = 0.3

#: The response of TCP to losses holds within a factor of some 1.5; a loss in a full queue is counted there too.
_LOSS_SPREAD: Final = 0.4

#: A core counts as full from about here: tools count processor time, not what interrupts take. [1]
_CORE_SPREAD: Final = 0.06

#: Of a candidate that is assumed, not captured, counted or logged.
_ASSUMED: Final = 0.5

#: Weight of buffers that nobody has set: hosts for such transfers mostly have larger ones.
_UNSET: Final = 0.1

#: Linux without settings: largest receive buffer, half of which is window, and largest send buffer. [B]
_RMEM_MAX: Final = 6 * 2**20
_WMEM_MAX: Final = 4 * 2**20

#: Weight of what may be anywhere, by its class, beside what the folder does not show.
_UNKNOWN: Final = {"link": 1.0, "window": 0.5}

#: Nearer than this, any buffer is window enough. [s]
_FAR_S: Final = 0.001

OTHER: Final = "something outside this folder"
NARROW: Final = "a full line, shaper or port on the path"


@dataclass(frozen=True)
class Candidate:
    """Something that may hold runs back.

    Attributes
    ----------
    name
        In words.
    kind
        Class of the limit; ``other`` for what is not shown.
    limit_bps
        What it allows; NaN for ``other``. [bit/s]
    probability
        That it is this, given the rest. [1]
    evidence
        Where the limit is from.
    """

    name: str
    kind: str
    limit_bps: float
    probability: float
    evidence: str


def candidates(one: Expected) -> list[Candidate]:
    """What may hold a kind of run back, the likeliest first."""
    found = {each[0]: each for each in (*_predicted(one), *_logged(one))}
    fits = {kind: one.signs.chance(kind) for kind in (*{each[1] for each in found.values()}, *_UNKNOWN, "other")}
    weights = {name: fits[kind] * _weight(one.median_bps, limit, spread, weight)
               for name, kind, limit, spread, weight, _ in found.values()}  # fmt: skip
    anything = _ANYTHING * fits["other"]
    for name, kind, limit, evidence in _unknown(one, rest=max(weights.values(), default=0.0) < anything):
        found[name] = (name, kind, limit, math.inf, _UNKNOWN[kind], evidence)
        weights[name] = _ANYTHING * _UNKNOWN[kind] * fits[kind]
    total = sum(weights.values()) + anything
    listed = [
        Candidate(name, kind, limit, weights[name] / total, evidence)
        for name, kind, limit, _, _, evidence in found.values()
    ]
    what = (
        "the storage, the tool, its settings"
        if one.group["protocol"] == "file"
        else "a core, a disk, other traffic, a shaper"
    )
    listed.append(Candidate(OTHER, "other", math.nan, anything / total, f"such as {what}"))
    return sorted(listed, key=lambda each: -each.probability)


def _unknown(one: Expected, *, rest: bool) -> Iterator[tuple[str, str, float, str]]:
    """A narrow place and a window that no file names, where the logs have marks of them; `rest`: nothing known fits."""
    if one.group["protocol"] != "tcp" or not one.signs.tells:
        return
    measured, signs = one.median_bps, one.signs
    if rest:
        yield NARROW, "link", measured, signs.words()
    if signs.flight_bytes > 0 and np.fmin(signs.idle_rtt_s, signs.loaded_rtt_s) >= _FAR_S:
        size = units.format_bytes(signs.flight_bytes, digits=2)
        yield f"a TCP window or socket buffer of about {size}", "window", measured, signs.words()


_Weighted = tuple[str, str, float, float, float, str]


def _weight(measured_bps: float, limit_bps: float, spread: float, weight: float) -> float:
    if not (limit_bps > 0 and math.isfinite(limit_bps)):
        return 0.0
    off = math.log(measured_bps / limit_bps) / spread
    return weight * math.exp(-0.5 * off * off) / (spread * math.sqrt(2 * math.pi))


def _predicted(one: Expected) -> Iterator[_Weighted]:
    """The rungs of the ladder."""
    if one.prediction is None:
        return
    rate = one.fact("path.rate")
    for rung in one.prediction.ladder:
        assumed = rung.resource_class == "link" and rate is not None and not rate.is_known
        title = f"{rung.title} of {rate.words}" if rung.resource_class == "link" and rate is not None else rung.title
        evidence = f"predicted{', with an assumed line rate' if assumed else ''}"
        weight = (_ASSUMED if assumed else 1.0) * max(rung.probability, 0.05)
        spread = _SPREADS.get(rung.resource_class, _SPREAD)
        yield title, rung.resource_class, rung.throughput_bps, spread, weight, evidence


def _logged(one: Expected) -> Iterator[_Weighted]:
    """What the logs themselves show: losses, full cores, buffers that nobody has set."""
    rtt, mtu = one.fact("path.rtt"), one.fact("path.mtu")
    streams = 1 if pd.isna(one.group["streams"]) else int(one.group["streams"])
    measured = one.median_bps
    for role in ("sender", "receiver"):
        share = one.group[f"cpu_{role}_fraction"]
        if not pd.isna(share) and 0.5 < share < 1.1 * streams:
            limit = measured / min(float(share), 1.0)
            yield (
                f"a core of the {role}", "cpu", limit, _CORE_SPREAD, 1.0,
                f"the tool reports {units.format_fraction(share)} of a core",
            )  # fmt: skip
    if rtt is None or rtt.value is None or mtu is None or mtu.value is None or one.group["protocol"] != "tcp":
        return
    loss = _loss_of(one.runs, mtu.value)
    seconds = rtt.value if pd.isna(one.runs["rtt_s"].median()) else float(one.runs["rtt_s"].astype(float).median())
    if loss > 0 and seconds > 0:
        with warnings.catch_warnings():  # of losses so high that the limit is still lower
            warnings.simplefilter("ignore", ValidityWarning)
            limit = float(limits.tcp(rtt=seconds, loss=loss, mtu=int(mtu.value))["loss_limit_bps"]) * streams
        yield (
            "packet loss (a faulty line or a full queue)", "loss", limit, _LOSS_SPREAD, 1.0,
            f"{loss:.2g} of the packets retransmitted, at an RTT of {units.format_time(seconds)}",
        )  # fmt: skip
    hosts = [one.fact(role) for role in ("sender", "receiver")]
    if rtt.value > 0 and any(host is not None and host.basis == "assumed" for host in hosts):
        yield (
            "the TCP window of an untuned Linux host", "window", _default_window_bps(rtt.value) * streams, 0.15, _UNSET,
            "default buffers (6 MiB receive, 4 MiB send), assumed",
        )  # fmt: skip


def _default_window_bps(rtt_s: float) -> float:
    """What one TCP connection carries between Linux hosts whose buffers nobody has set. [bit/s]."""
    return min(_RMEM_MAX / 2, _WMEM_MAX / 2) * 8 / rtt_s


def _loss_of(runs: pd.DataFrame, mtu: float) -> float:
    """Share of the packets that were sent again. [1]."""
    known = runs[runs["retransmits"].notna() & (runs["bytes"] > 0)]
    packets = known["bytes"].astype(float).sum() / (mtu - framing.header_bytes())
    return float(known["retransmits"].astype(float).sum() / packets) if packets > 0 else math.nan


def causes_table(found: Sequence[Expected], *, least: float = 0.03) -> pd.DataFrame:
    """One row a kind of run and candidate: ``condition``, ``name``, ``limit_bps``, ``probability``, ``evidence``.

    Parameters
    ----------
    found
        What `hecn_analysis.report.expected.expectations` gave.
    least
        Candidates that are less likely are left out. [1]

    Returns
    -------
    DataFrame
        These columns, with ``measured_bps`` and ``kind``; rates in bit/s.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> from hecn_analysis.ingest.folder import read_folder
    >>> folder = read_folder(data_dir() / "logs" / "c-systems-dd.txt")
    >>> from hecn_analysis.report.expected import expectations
    >>> found = expectations(folder)
    >>> causes_table(found)[["condition", "kind", "probability"]].to_dict("records")[0]
    {'condition': 'dd read, 69 GB', 'kind': 'other', 'probability': 1.0}
    """
    rows = [
        {"condition": one.condition, "measured_bps": one.median_bps, **vars(candidate)}
        for one in found
        if one.group["protocol"] != "udp"
        for candidate in candidates(one)
        if candidate.probability >= least
    ]
    columns = ["condition", "measured_bps", "name", "kind", "limit_bps", "probability", "evidence"]
    return pd.DataFrame(rows, columns=columns)


def windows_table(found: Sequence[Expected]) -> pd.DataFrame:
    """What TCP had under way, and what the path takes, where the round-trip time is known."""
    rows: list[dict[str, Any]] = []
    for one in found:
        rtt, rate, mtu = (one.fact(key) for key in ("path.rtt", "path.rate", "path.mtu"))
        if rtt is None or rtt.value is None or one.group["protocol"] != "tcp":
            continue
        streams = 1 if pd.isna(one.group["streams"]) else int(one.group["streams"])
        packet = 1500.0 if mtu is None or mtu.value is None else mtu.value
        line = np.nan if rate is None or rate.value is None else goodput(rate.value, int(packet))
        rows.append(
            {
                "condition": one.condition,
                "rtt_s": rtt.value,
                "in_flight_bytes": one.median_bps * rtt.value / 8 / streams,
                "bdp_bytes": line * rtt.value / 8,
                "default_bps": _default_window_bps(rtt.value) * streams,
                "retransmits_per_gb": one.group["retransmits_per_gb"],
                "loss_fraction": _loss_of(one.runs, packet),
            }
        )
    columns = [
        "condition",
        "rtt_s",
        "in_flight_bytes",
        "bdp_bytes",
        "default_bps",
        "retransmits_per_gb",
        "loss_fraction",
    ]
    return pd.DataFrame(rows, columns=columns)
