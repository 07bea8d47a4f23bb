r"""Availability, restoral time, round trip, loss, packet size and bandwidth, judged by a table of service levels.

Each criterion passes, fails, or lacks evidence: few measurements leave wide bounds, and no loss in N packets does not
show a loss of 0. Bounds are one-sided at 95 % each.

- Loss: of :math:`N` packets, :math:`L` were lost; the probability is below the upper bound of Clopper and Pearson [1]_,
  which for :math:`L = 0` is :math:`1 - 0.05^{1/N} \approx 3 / N` (the rule of three [2]_). A limit of 1e-7 requires
  30 million packets without a loss. TCP retransmissions count as lost for passing, not for failing, since some of the
  packets had arrived.
- Availability by tests: successful tests among all tests; the same bounds.
- Availability by time (from ports with a known state, or tests with times): :math:`K` outages with a total length of
  :math:`D` in the time :math:`T`. Their rate is bounded by Poisson's law (:math:`K = 0`: less than 3 in :math:`T`),
  their mean length, assumed exponential, by the chi-square law; without an outage, the restoral time is used instead.
- Round trip: the median of the runs' averages, bounded by order statistics [3]_.
- Packet size and bandwidth are shown by measurements that reach them; lower ones prove nothing. If a single link must
  carry the bandwidth, the readings must include a port of that speed, since bonded links are as fast.

References
----------
.. [1] Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
   Biometrika 26 (1934).
.. [2] Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249 (1983).
.. [3] Conover, "Practical Nonparametric Statistics", 3rd edition (1999), 3.2.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from scipy import stats

from hecn_analysis.base import places, units
from hecn_analysis.base.errors import HecnError, unknown_name
from hecn_analysis.hardware import yaml_file
from hecn_analysis.limits import framing
from hecn_analysis.runs.rates import run_rates
from hecn_analysis.traffic.ports import Ints, number_rows

CONFIDENCE: Final = 0.95
PASS, FAIL, UNKNOWN = "pass", "fail", "not enough evidence"
COLUMNS: Final = ("criterion", "limit", "unit", "verdict", "estimate", "low", "high", "evidence", "needed")
_REACHED: Final = 0.95  # share of a size or bandwidth that counts as reached


def _quantity(dimension: units.Dimension, *, most: float = math.inf) -> BeforeValidator:
    def parse(raw: object) -> float:
        try:
            value = units.parse(raw, dimension)
        except HecnError as error:
            raise ValueError(str(error)) from None
        if not 0 < value <= most:
            bound = "more than 0" + (f" and at most {most:g}" if most < math.inf else "")
            raise ValueError(f"found {raw!r}, expected {bound}")
        return value

    return BeforeValidator(parse)


class ServiceLevel(BaseModel):
    """A table of service levels; criteria that it omits are not judged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    title: str
    document: str = Field(description="place of the table in its document")
    place: str = ""
    availability: Annotated[float, _quantity("fraction", most=1)] | None = Field(None, description="least part of time")
    restoral_time: Annotated[float, _quantity("time")] | None = Field(None, description="longest outage")
    rtt: Annotated[float, _quantity("time")] | None = Field(None, description="round trip between the sites, less than")
    loss: Annotated[float, _quantity("fraction", most=1)] | None = Field(None, description="packets lost, less than")
    mtu: Annotated[int, Field(ge=68, le=65_535)] | None = Field(None, description="IP packet carried in one piece [B]")
    bandwidth: Annotated[float, _quantity("rate")] | None = Field(None, description="line rate")
    single_link: bool = Field(default=False, description="one link carries the bandwidth, not several bonded ones")


def names() -> list[str]:
    """Names of the tables in ``models/service_levels/``.

    Returns
    -------
    list of str
        The names, sorted; `load` takes them.

    Examples
    --------
    >>> "hec-test-wan" in names()
    True
    """
    return sorted(path.stem for path in (places.models_dir() / "service_levels").glob("*.yaml"))


def load(name: str | Path) -> ServiceLevel:
    """Read a table of service levels.

    Parameters
    ----------
    name
        A name in ``models/service_levels/``, or a file that ends in ``.yaml``. A table may be ``like`` one of
        ``models/service_levels/`` and state only what differs.

    Returns
    -------
    ServiceLevel
        The limits, in SI: fractions, seconds, bytes, bit/s; None for criteria that the table omits.

    Raises
    ------
    InputError
        If no table has this name, or the table has an error, with file and line.

    Examples
    --------
    >>> load("hec-test-wan").availability, load("hec-operational-wan").restoral_time
    (0.8, 14400.0)
    """
    if str(name).endswith((".yaml", ".yml")):
        return _read(Path(name), ())
    known = names()
    if str(name) not in known:
        raise unknown_name("service level", str(name), known, also="a YAML file or ", where="models/service_levels")
    return _read(_shipped(str(name)), ())


def _shipped(name: str) -> Path:
    return places.models_dir() / "service_levels" / f"{name}.yaml"


def _read(path: Path, above: tuple[Path, ...]) -> ServiceLevel:
    """Read the table of a file; `above` are the tables that refer to it."""
    document = yaml_file.load(path)
    own = {"name": path.stem, **document.values}  # noqa: PD011 - no pandas
    like, base = own.pop("like", None), {}
    if like is not None:
        known = [name for name in names() if _shipped(name) not in (*above, path)]
        if like not in known:
            raise unknown_name("like:", str(like), known, source=path, line=document.line(("like",)))
        base = _read(_shipped(str(like)), (*above, path)).model_dump(exclude_none=True)
    return yaml_file.validate(ServiceLevel, base | own, lambda key: (document.source, document.line(key)))


def proportion_bounds(hits: int, count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """One-sided bounds of a probability by Clopper and Pearson."""
    if count <= 0:
        return 0.0, 1.0
    low = 0.0 if hits == 0 else float(stats.beta.ppf(1 - confidence, hits, count - hits + 1))
    if hits == count:
        return low, 1.0
    high = (
        -math.expm1(math.log1p(-confidence) / count)
        if hits == 0
        else float(stats.beta.ppf(confidence, hits + 1, count - hits))
    )
    return low, high


def packets_needed(limit: float, lost: int = 0, confidence: float = CONFIDENCE) -> int:
    """Number of packets needed to show that the loss is below a limit, given the number lost."""
    if lost == 0:
        return math.ceil(math.log1p(-confidence) / math.log1p(-limit)) if limit < 1 else 1
    return math.ceil(float(stats.chi2.ppf(confidence, 2 * (lost + 1))) / 2 / limit)


def outage_bounds(
    outages: int, down_s: float, total_s: float, longest_s: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Bounds of the fraction of time lost to outages."""
    if total_s <= 0:
        return 0.0, 1.0
    if outages == 0:
        return 0.0, min(-math.log1p(-confidence) * longest_s / total_s, 1.0)
    half = (1 - confidence) / 2  # one half each to the rate and to the mean length
    rate = [float(stats.chi2.ppf(half, 2 * outages)) / 2, float(stats.chi2.ppf(1 - half, 2 * outages + 2)) / 2]
    mean = [2 * down_s / float(stats.chi2.ppf(level, 2 * outages)) for level in (1 - half, half)]
    low, high = (min(r * m / total_s, 1.0) for r, m in zip(rate, mean, strict=True))
    return low, high


def judge(level: ServiceLevel, runs: pd.DataFrame, samples: pd.DataFrame | None = None) -> pd.DataFrame:
    """Judge measurements by a table of service levels.

    Parameters
    ----------
    level
        The table.
    runs
        Runs of tools over the judged path, as in the table ``runs``.
    samples
        Readings of the path's ports, as in the table ``samples``.

    Returns
    -------
    DataFrame
        `COLUMNS`, a row for each criterion of the table. ``low`` and ``high`` are the bounds of the estimate,
        ``evidence`` describes its basis, ``needed`` the missing measurements.

    Examples
    --------
    >>> from hecn_analysis import read
    >>> from hecn_analysis.base.places import data_dir
    >>> verdicts = judge(load("hec-test-wan"), read(data_dir() / "transfers" / "after").runs)
    >>> verdicts[["criterion", "verdict"]][1:3].to_dict("records")
    [{'criterion': 'restoral time', 'verdict': 'not enough evidence'}, {'criterion': 'rtt', 'verdict': 'pass'}]
    """
    samples = pd.DataFrame() if samples is None else samples
    rows: list[dict[str, Any]] = []
    if level.availability is not None or level.restoral_time is not None:
        rows += _availability(level, runs, samples)
    if level.rtt is not None:
        rows.append(_round_trip(level.rtt, runs))
    if level.loss is not None:
        rows.append(_loss(level.loss, runs, level.mtu or 1500))
    if level.mtu is not None:
        rows.append(_packet_size(level.mtu, samples))
    if level.bandwidth is not None:
        rows.append(_bandwidth(level, level.bandwidth, runs, samples))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row(criterion: str, limit: float, unit: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"criterion": criterion, "limit": limit, "unit": unit, "verdict": UNKNOWN, "needed": "", **more}


def _column(frame: pd.DataFrame, name: str) -> Any:  # noqa: ANN401 - an array of floats
    if name not in frame.columns:
        return np.full(len(frame), np.nan)
    return pd.to_numeric(frame[name]).to_numpy(dtype=float, na_value=np.nan)


def _loss(limit: float, runs: pd.DataFrame, mtu: int) -> dict[str, Any]:
    sent, lost = _column(runs, "sent_packets"), _column(runs, "lost_packets")
    counted = ~np.isnan(sent) & ~np.isnan(lost)
    direct = (int(lost[counted].sum()), int(sent[counted].sum()))
    retransmits, amount = _column(runs, "retransmits"), _column(runs, "bytes")
    amount = np.where(np.isnan(amount), run_rates(runs) * _column(runs, "duration_s") / 8, amount)
    tcp = ~counted & ~np.isnan(retransmits) & ~np.isnan(amount)
    segments = np.ceil(amount[tcp] / float(framing.payload_bytes(mtu))) + retransmits[tcp]
    with_retransmits = (direct[0] + int(retransmits[tcp].sum()), direct[1] + int(segments.sum()))
    high = min(proportion_bounds(*with_retransmits)[1], proportion_bounds(*direct)[1])
    low = proportion_bounds(*direct)[0]
    best = direct if direct[1] else with_retransmits
    row = _row("loss", limit, "1", low=low, high=high, estimate=best[0] / best[1] if best[1] else None)
    parts = [f"{direct[0]:,} of {direct[1]:,} packets lost"] if direct[1] or not tcp.any() else []
    if tcp.any():
        parts.append(f"{int(retransmits[tcp].sum()):,} of {int(segments.sum()):,} TCP packets retransmitted")
    row["evidence"] = "; ".join(parts)
    if low > limit:  # counted losses decide, whatever TCP delivered
        return row | {"verdict": FAIL, "high": proportion_bounds(*direct)[1]}
    if high < limit:
        return row | {"verdict": PASS}
    more = packets_needed(limit, with_retransmits[0]) - with_retransmits[1]
    return row | {"needed": f"{max(more, 1):,} more packets without a loss"}


def _round_trip(limit: float, runs: pd.DataFrame) -> dict[str, Any]:
    average, connection, least = (_column(runs, name) for name in ("rtt_avg_s", "rtt_s", "rtt_min_s"))
    times = np.where(np.isnan(average), np.where(np.isnan(connection), least, connection), average)
    times = np.sort(times[~np.isnan(times)])
    row = _row("rtt", limit, "s", evidence=f"{len(times)} runs with a round trip")
    if len(times) == 0:
        return row | {"needed": "runs with a round trip, such as ping"}
    rank = int(
        stats.binom.ppf(1 - CONFIDENCE, len(times), 0.5)
    )  # order statistics that bound the median, each one-sided
    low, high = (times[rank - 1], times[len(times) - rank]) if rank >= 1 else (None, None)
    row |= {"estimate": float(np.median(times)), "low": low, "high": high}
    if high is not None and high < limit:
        return row | {"verdict": PASS}
    if low is not None and low >= limit:
        return row | {"verdict": FAIL}
    return row | {"needed": "5 runs or more" if rank < 1 else "runs that agree more"}


OWNERS: Final = {"source_file", "host", "interface"}
"""Columns that identify the port of a reading; at least one is required."""


def sources_of(samples: pd.DataFrame) -> Ints:
    """Number the ports of each file: two sources of one port may count in different ways."""
    code, _ = number_rows(samples)
    if "source_file" not in samples.columns:
        return code
    keys = samples[["source_file"]].assign(port=code)
    return np.asarray(keys.groupby(["port", "source_file"], dropna=False, sort=False).ngroup(), dtype=np.int64)


def _packet_size(limit: int, samples: pd.DataFrame) -> dict[str, Any]:
    row = _row("mtu", float(limit), "B", evidence="no readings of octets and packets")
    largest = math.nan
    counted = {"in_octets", "in_packets", "out_octets", "out_packets"} <= set(samples.columns)
    if counted and OWNERS & set(samples.columns):
        ordered = samples.sort_values("time", kind="stable")
        groups = ordered.groupby(sources_of(ordered), sort=False)
        for direction in ("in", "out"):
            octets, packets = (
                groups[f"{direction}_{what}"].diff().to_numpy(dtype=float, na_value=np.nan)
                for what in ("octets", "packets")
            )
            known = (octets > 0) & (octets < packets * (limit + framing.FRAME_OVERHEAD))
            largest = float(np.nanmax(octets[known] / packets[known], initial=np.nan_to_num(largest)))
    if math.isnan(largest) or largest == 0:
        return row | {"needed": "readings of a port that carries a bulk transfer"}
    row |= {"estimate": largest, "evidence": f"largest mean packet of an interval: {largest:.0f} B with its frame"}
    if largest >= _REACHED * limit:
        return row | {"verdict": PASS, "low": largest}
    return row | {"low": largest, "needed": "readings of a port that carries a bulk transfer with large packets"}


def _bandwidth(level: ServiceLevel, limit: float, runs: pd.DataFrame, samples: pd.DataFrame) -> dict[str, Any]:
    row = _row("bandwidth", limit, "bit/s", evidence="no run with a throughput")
    rate = run_rates(runs.drop(columns="error", errors="ignore"))  # a run that failed later filled the path, too
    if "protocol" in runs.columns:
        rate = rate[(runs["protocol"] != "file").fillna(True).to_numpy(dtype=bool)]  # noqa: FBT003 - what is missing stays
    if np.isnan(rate).all():
        return row | {"needed": "a run that fills the path"}
    line = float(np.nanmax(rate)) / (1 - float(framing.wire_overhead(level.mtu or 1500)))
    row |= {
        "estimate": line,
        "low": line,
        "evidence": f"fastest run: {units.format_rate(float(np.nanmax(rate)))} of data",
    }
    if line < _REACHED * limit:
        return row | {"needed": "a run that fills the path"}
    speeds = _column(samples, "speed_bps")
    if level.single_link and not (speeds >= limit).any():
        return row | {
            "needed": f"readings of a port of {units.format_rate(limit)}: several links may have carried the run"
        }
    return row | {"verdict": PASS}


def _availability(level: ServiceLevel, runs: pd.DataFrame, samples: pd.DataFrame) -> list[dict[str, Any]]:
    watched = [*_watched_ports(samples), *_watched_tests(runs)]
    total, down, outages = sum(record[0] for record in watched), sum(record[1] for record in watched), []
    for record in watched:
        outages += record[2]
    successful, tests = _tests(runs)
    over = f", in {len(watched)} ports or series of tests" if len(watched) > 1 else ""
    rows = []
    if level.availability is not None:
        row = _row("availability", level.availability, "1")
        if total > 0:
            lost = outage_bounds(len(outages), down, total, level.restoral_time or total)
            row |= {"estimate": 1 - down / total, "low": 1 - lost[1], "high": 1 - lost[0]}
            row["evidence"] = f"{len(outages)} outage(s), {_time(down)} of {_time(total)} watched{over}"
        elif tests:
            low, high = proportion_bounds(successful, tests)
            row |= {
                "estimate": successful / tests,
                "low": low,
                "high": high,
                "evidence": f"{successful} of {tests} tests went through",
            }
        else:
            row |= {"evidence": "no tests, and no port with a known state"}
        rows.append(row | _at_least(row, level.availability))
    if level.restoral_time is not None:
        row = _row(
            "restoral time", level.restoral_time, "s", evidence=f"{len(outages)} outage(s) in {_time(total)} watched"
        )
        if outages:
            longest = max(outages, key=lambda record: record[1])
            row |= {"estimate": longest[1], "low": max(record[0] for record in outages), "high": longest[1]}
            late = row["low"] > level.restoral_time
            row |= {"verdict": FAIL if late else PASS if row["high"] < level.restoral_time else UNKNOWN}
            row["needed"] = "tests more often" if row["verdict"] == UNKNOWN else ""
        else:
            row["needed"] = "an outage to judge by"
        rows.append(row)
    return rows


def _at_least(row: dict[str, Any], limit: float) -> dict[str, Any]:
    if row.get("low") is None:
        return {"needed": "regular pings, or readings of ports with their state"}
    if row["low"] >= limit:
        return {"verdict": PASS}
    return {"verdict": FAIL} if row["high"] < limit else {"needed": "a longer time"}


Watched = tuple[float, float, list[tuple[float, float]]]
"""Time observed, time lost (middle of its bounds), and shortest and longest length of each outage. [s]"""


def _tests(runs: pd.DataFrame) -> tuple[int, int]:
    """Number of successful tests, and of all tests."""
    through = _went_through(runs)
    return int(through.sum()), len(through)


def _went_through(runs: pd.DataFrame) -> Any:  # noqa: ANN401 - an array of booleans
    lost = _column(runs, "loss_fraction") >= 1
    failed = runs["error"].fillna(False).to_numpy(dtype=bool) if "error" in runs.columns else np.zeros(len(runs), bool)  # noqa: FBT003
    return ~(lost | failed)


def _watched_tests(runs: pd.DataFrame) -> list[Watched]:
    if "start_time" not in runs.columns or runs["start_time"].notna().sum() < 2:
        return []
    timed = runs[runs["start_time"].notna()].sort_values("start_time", kind="stable")
    return [_watched(pd.DatetimeIndex(timed["start_time"]), _went_through(timed))]


def _watched_ports(samples: pd.DataFrame) -> list[Watched]:
    if not {"up", "time", "interface"} <= set(samples.columns):
        return []
    known = samples[samples["up"].notna() & samples["time"].notna()].sort_values("time", kind="stable")
    groups = known.groupby(number_rows(known)[0], sort=False)
    return [
        _watched(pd.DatetimeIndex(part["time"]), part["up"].to_numpy(dtype=bool)) for _, part in groups if len(part) > 1
    ]


def _watched(times: pd.DatetimeIndex, is_up: Any) -> Watched:  # noqa: ANN401 - an array of booleans
    """Outages between observations of up or down."""
    seconds = times.as_unit("ns").asi8 * 1e-9
    edges = np.flatnonzero(np.diff(np.r_[True, is_up, True].astype(int)))
    outages, down = [], 0.0
    for first, after in edges.reshape(-1, 2):
        least = float(seconds[after - 1] - seconds[first])
        begin = seconds[max(first - 1, 0)]
        end = seconds[min(after, len(seconds) - 1)]
        outages.append((least, float(end - begin)))
        down += (least + float(end - begin)) / 2
    return float(seconds[-1] - seconds[0]), down, outages


def _time(seconds: float) -> str:
    return units.format_time(seconds)
