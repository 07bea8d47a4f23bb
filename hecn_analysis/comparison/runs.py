"""Differences between two sets of runs, and their significance.

Runs of both sets that are alike (`hecn_analysis.runs.alike`) form a group, and each group is judged by itself: the
ratio of the medians with an interval, and a test by ranks (`hecn_analysis.runs.statistics`), corrected for the number
of groups. A group whose result could not be significant is "too few runs to say", never "no change"; a single run on a
side gives no factor. Over all groups the sets are compared in pairs, condition by condition
(`hecn_analysis.comparison.tools`); `hecn_analysis.comparison.causes` compares the causes of each group.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.records import records
from hecn_analysis.base.tables import with_units
from hecn_analysis.comparison import causes
from hecn_analysis.comparison.tools import compare_tools
from hecn_analysis.logs import Reading
from hecn_analysis.runs import statistics
from hecn_analysis.runs.alike import KEYS, beside, with_conditions, words
from hecn_analysis.runs.rates import run_rates

FASTER: Final = "faster"
SLOWER: Final = "slower"
NO_CHANGE: Final = "no change seen"
TOO_FEW: Final = "too few runs to say"
SCATTER: Final = "too uncertain to tell"
ONLY: Final = "only in {}"

#: If the interval is wider than this, the absence of a visible difference proves nothing. [1]
_WIDE: Final = 0.1

#: Whose medians stand side by side, and what else the log says of the runs.
_BESIDE: Final = ("retransmits_per_gb", "rtt_s", "cpu_sender_fraction", "cpu_receiver_fraction", "cwnd_bytes")

#: Groups that are left over are matched without these, where that leaves one on each side.
_LOOSER: Final = (("distance",), ("extent",), ("distance", "extent"))

COLUMNS: Final = (
    *("group", *KEYS, "verdict", "sentence", "runs_a", "runs_b", "failed_a", "failed_b", "median_a_bps"),
    *("median_b_bps", "least_a_bps", "most_a_bps", "least_b_bps", "most_b_bps", "ratio", "ratio_low", "ratio_high"),
    *("p", "p_corrected", *(f"{name}_{side}" for name in _BESIDE for side in "ab")),
    *("tool_version_a", "tool_version_b", "matched_without"),
    *causes.COLUMNS,
)


@dataclass(frozen=True)
class RunsComparison:
    """Two sets of runs, group by group and over all.

    ``groups`` has one row per kind of run, with the columns of `COLUMNS`: the smallest ``p_corrected`` first, kinds of
    one set last. ``ratio`` is the rate of the second set over that of the first for the conditions of both (geometric
    mean, each condition counts equally); it is None without such conditions, or if one has a single run on a side, and
    its interval with fewer than two. ``runs`` are all runs with a rate: ``set`` (A or B), ``group``, ``rate_bps`` and
    the columns of runs.
    """

    groups: pd.DataFrame
    overall: str
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    runs: pd.DataFrame
    confidence: float
    problems: pd.DataFrame

    def __str__(self) -> str:
        return self.overall

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show the overall sentence and a row for each kind of run in a notebook."""
        rows = "".join(
            f"<tr><td>{html_text(row['group'])}</td><td>{html_text(row['sentence'])}</td></tr>"
            for row in self.groups.to_dict("records")
        )
        head = "<tr><th>runs</th><th>B against A</th></tr>"
        return f"<p>{html_text(self.overall)}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """The comparison without its single runs, as plain objects.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.

        Examples
        --------
        >>> from hecn_analysis.base.places import data_dir
        >>> result = compare(data_dir() / "transfers" / "before", data_dir() / "transfers" / "after")
        >>> round(result.to_dict()["ratio"], 1)
        8.2
        """
        return {
            "sentence": self.overall,
            "ratio": self.ratio,
            "ratio_low": self.ratio_low,
            "ratio_high": self.ratio_high,
            "confidence": self.confidence,
            "groups": records(self.groups),
        }


def compare(
    first: causes.Paths, second: causes.Paths, *, confidence: float = 0.95, progress: bool = False
) -> RunsComparison:
    """Compare two sets of runs: their rates, and what limits them.

    Parameters
    ----------
    first, second
        Logs, and files about hosts and paths beside them: files, folders or archives. Results of `hecn_analysis.read`
        and archives of results have runs only.
    confidence, progress
        Confidence of the intervals, and of the verdicts all together [1]; whether to show a progress bar.

    Returns
    -------
    RunsComparison
        ``groups``, a row for each kind of run with its verdict, ``overall`` in one sentence, ``ratio`` of the rates,
        second over first, with its interval, and all ``runs``. Rates are in bit/s.

    Raises
    ------
    InputError
        A set without a run that has a rate.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> result = compare(data_dir() / "transfers" / "before", data_dir() / "transfers" / "after")
    >>> result.groups["verdict"].tolist(), round(result.ratio, 1)
    (['faster', 'faster', 'only in B'], 8.2)
    """
    sides = [causes.Side(causes.folder_of(reading, progress=progress)) for reading in (first, second)]
    readings = [side.folder.reading for side in sides]
    runs = _matched(readings)
    parts = runs.groupby("group", sort=False)
    groups = [_group(name, part, confidence) for name, part in parts]
    level = 1 - confidence
    tests = _corrected([row for row in groups if row["runs_a"] and row["runs_b"]], level)
    for row in groups:
        verdict, sentence = _verdict(row, level, tests)
        became = causes.causes(row, parts.get_group(row["group"]), sides)
        row.update(became, verdict=verdict, sentence=f"{sentence} {became['told']}".rstrip())
    frame = with_units(pd.DataFrame(groups, columns=list(COLUMNS)))
    last = frame["verdict"].str.startswith("only")
    frame = frame.assign(last=last).sort_values(["last", "p_corrected", "p"], kind="stable", ignore_index=True)
    ratio, low, high = _overall(runs, confidence)
    return RunsComparison(
        groups=frame.drop(columns="last"),
        overall=_sentence(frame, ratio, low, high),
        ratio=ratio,
        ratio_low=low,
        ratio_high=high,
        runs=with_units(runs[runs["rate_bps"].notna()].reset_index(drop=True)),
        confidence=confidence,
        problems=pd.concat([reading.problems for reading in readings], ignore_index=True),
    )


def _corrected(rows: Sequence[dict[str, Any]], level: float) -> int:
    """Set the corrected p of the groups that a test can distinguish at all, and return their number."""
    rows = [row for row in rows if _repeated(row)]
    able = statistics.can_tell([statistics.least_p(row["runs_a"], row["runs_b"]) for row in rows], level)
    corrected = statistics.holm([row["p"] if is_able else math.nan for row, is_able in zip(rows, able, strict=True)])
    for row, p in zip(rows, corrected, strict=True):
        row["p_corrected"] = float(p)
    return int(able.sum())


def _repeated(row: Mapping[str, Any]) -> bool:
    """Whether both sides have repeats: a single run has no scatter."""
    return bool(min(row["runs_a"], row["runs_b"]) > 1)


def _matched(readings: Sequence[Reading]) -> pd.DataFrame:
    """All runs, each with its set and its group."""
    for name, reading in zip("AB", readings, strict=True):
        if not np.isfinite(run_rates(reading.runs)).any():
            raise InputError(f"no run with a rate in {name}, the {'first' if name == 'A' else 'second'} of the two",
                             "logs of tools", advice="hecn parse says what can be read")  # fmt: skip
    joined = pd.concat([reading.runs for reading in readings], ignore_index=True)
    sets = np.repeat(["A", "B"], [len(reading.runs) for reading in readings])
    windows = pd.concat([_windows(reading) for reading in readings], ignore_index=True)
    runs = with_conditions(joined).assign(set=sets, cwnd_bytes=windows, matched_without="")
    runs = runs[runs["rate_bps"].notna() | runs["error"]]
    runs["group"] = runs["condition"]
    for left_out in _LOOSER:
        _match_looser(runs, left_out)
    return runs


def _match_looser(runs: pd.DataFrame, left_out: Sequence[str]) -> None:
    """Pair groups that exist in one set only and differ in nothing but some keys, if each side has exactly one."""
    sides = runs.groupby("group")["set"].nunique()
    alone = runs[runs["group"].map(sides) == 1]
    kept = [key for key in KEYS if key not in left_out]
    if alone.empty:
        return
    looser = alone[kept].apply(lambda row: words(row, kept), axis=1)
    for name, part in alone.groupby(looser):
        groups = part.groupby("set")["group"].nunique()
        if groups.to_dict() == {"A": 1, "B": 1}:
            runs.loc[part.index, "group"] = name
            runs.loc[part.index, "matched_without"] = " and ".join(left_out)


def _windows(reading: Reading) -> pd.Series[Any]:
    """Median congestion window of each run whose intervals have one."""
    keys = ["source_file", "run"]
    known = reading.intervals[reading.intervals["cwnd_bytes"].notna()]
    medians = known.groupby(keys)["cwnd_bytes"].median().astype(float).rename("cwnd_bytes").reset_index()
    return reading.runs[keys].merge(medians, on=keys, how="left")["cwnd_bytes"].astype(float)


def _group(name: Any, part: pd.DataFrame, confidence: float) -> dict[str, Any]:  # noqa: ANN401 - the name of a group
    first = part.iloc[0]
    row: dict[str, Any] = {
        "group": name,
        **{key: first[key] for key in KEYS},
        "matched_without": first["matched_without"],
    }
    row |= {key: None for key in KEYS if key in str(row["matched_without"]).split(" and ")}
    rates: list[Any] = []
    for side, letter in (("A", "a"), ("B", "b")):
        own = part[part["set"] == side]
        good = own[own["rate_bps"].notna()]
        rate = good["rate_bps"].to_numpy(dtype=float)
        rates.append(rate)
        row |= {
            f"runs_{letter}": len(good),
            f"failed_{letter}": int(own["error"].sum()),
            f"median_{letter}_bps": float(np.median(rate)) if rate.size else math.nan,
            f"least_{letter}_bps": float(rate.min()) if rate.size else math.nan,
            f"most_{letter}_bps": float(rate.max()) if rate.size else math.nan,
        }
        row |= {f"{name}_{letter}": value for name, value in beside(good, _BESIDE[1:]).items()}
    row |= dict.fromkeys(("ratio", "ratio_low", "ratio_high", "p", "p_corrected"), math.nan)
    if _repeated(row):
        moved = statistics.shift(*(np.log(rate) for rate in rates), confidence=confidence)
        row |= {"ratio": row["median_b_bps"] / row["median_a_bps"], "p": moved.p}
        if math.isfinite(moved.low) and math.isfinite(moved.high):
            low, high = math.exp(moved.low), math.exp(moved.high)
            row |= {"ratio_low": min(low, row["ratio"]), "ratio_high": max(high, row["ratio"])}
    return row


def _verdict(row: dict[str, Any], level: float, tests: int) -> tuple[str, str]:  # noqa: PLR0911 - one a verdict
    """Verdict on a group, as a word and as a sentence."""
    n, m = row["runs_a"], row["runs_b"]
    if not n or not m:
        side, other = ("A", "B") if n else ("B", "A")
        if not n and not m:
            return "no rate", "All of these runs failed."
        failed = row[f"failed_{other.lower()}"]
        why = f"; {failed} failed in {other}" if failed else ""
        return ONLY.format(side), f"{units.format_count(n or m, 'run')} in {side}, none with a rate in {other}{why}."
    without = f" They are matched although the {row['matched_without']} differs." if row["matched_without"] else ""
    medians = f"{units.format_rate(row['median_a_bps'])} in A, {units.format_rate(row['median_b_bps'])} in B"
    if math.isnan(row["p_corrected"]):
        need = _needed(level / (tests + 1))
        groups = f", with {tests} other groups that can be judged" if tests else ""
        runs = _told_runs(n, m)
        why = (
            f" ({_change(row['ratio'])}), {runs}: chance alone may do that"
            if _repeated(row)
            else f", {runs}: {TOO_FEW}"
        )
        return TOO_FEW, f"{medians}{why}. {need} runs each could tell{groups}.{without}"
    change = _change(row["ratio"])
    interval = f"between {_change(row['ratio_low'])} and {_change(row['ratio_high'])}"
    if row["p_corrected"] <= level:
        word = FASTER if row["ratio"] > 1 else SLOWER
        return word, f"B is {word}: {medians} ({change}, {interval}).{without}"
    if not row["ratio_low"] <= 1 <= row["ratio_high"]:
        return (
            SCATTER,
            f"{medians} ({change}, {interval}): alone that would count, among {tests} it may be chance.{without}",
        )
    if max(1 / row["ratio_low"], row["ratio_high"]) - 1 > _WIDE:
        wide = max(-math.log(row["ratio_low"]), math.log(row["ratio_high"]))
        repeats = math.ceil((n + m) / 2 * (wide / math.log(1 + _WIDE)) ** 2)  # intervals narrow with the root
        return SCATTER, (
            f"{medians} ({change}, {interval}): not distinguished, since the runs scatter too much. "
            f"About {units.format_number(repeats, digits=1)} runs each would tell a change of "
            f"{units.format_percent(_WIDE)}.{without}"
        )
    return NO_CHANGE, f"{medians}: if there is a change, it is {interval}.{without}"


def _told_runs(n: int, m: int) -> str:
    """Say how many runs each side has."""
    if min(n, m) > 1:
        return f"from {n} and {m} runs"
    return "from one run each" if n == m else f"from {units.format_count(n, 'run')} in A and {m} in B"


def _needed(level: float) -> int:
    """Repeats on each side from which a test of ranks can reach a level."""
    return next(count for count in range(2, 100) if statistics.least_p(count, count) <= level)


def _change(ratio: float) -> str:
    """Describe a ratio as a change."""
    if ratio >= 2:
        return "any factor" if math.isinf(ratio) else f"{ratio:.3g} times"
    change = ratio - 1
    return units.format_change(change, places=0 if abs(change) >= _WIDE else 1)


def _overall(runs: pd.DataFrame, confidence: float) -> tuple[float | None, float | None, float | None]:
    """Speed of the second set relative to the first, over the conditions of both."""
    known = runs[runs["rate_bps"].notna()]
    sizes = pd.crosstab(known["group"], known["set"]).reindex(columns=["A", "B"], fill_value=0)
    shared = sizes[(sizes > 0).all(axis=1)]
    if len(shared) == 1 and int(shared.to_numpy().min()) == 1:
        return None, None, None
    as_tools = known.assign(tool=known["set"], throughput_bps=known["rate_bps"])
    try:
        pair = compare_tools(as_tools, by="group", confidence=confidence).pairs.iloc[0]
    except InputError:  # nothing in common
        return None, None, None
    ratio, low, high = (float(pair[name]) for name in ("ratio", "ratio_low", "ratio_high"))
    if pair["faster"] == "A":
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    return ratio, None if math.isnan(low) else low, None if math.isnan(high) else high


def _sentence(groups: pd.DataFrame, ratio: float | None, low: float | None, high: float | None) -> str:
    """Summarise the verdicts on all groups."""
    counts = groups["verdict"].value_counts()
    shared = int((~groups["verdict"].str.startswith("only")).sum())
    if ratio is None and shared != 1:
        return (
            "A and B have no kind of run in common (tool, protocol, direction, streams, size, distance): "
            f"{units.format_count(counts.get('only in A', 0), 'kind')} in A, {counts.get('only in B', 0)} in B."
        )
    told = ", ".join(
        f"{counts[word]} {word}" for word in (FASTER, SLOWER, NO_CHANGE, SCATTER, TOO_FEW) if word in counts
    )
    kinds = f"{shared} kinds of run" if shared != 1 else "one kind of run"
    if shared == 1:
        return f"A and B have one kind of run in common. {groups['sentence'].iloc[0]}"
    over = f"over {kinds} that A and B have in common, B is {ratio:.3g} times as fast as A"
    if low is not None and high is not None:
        sure = "" if not low <= 1 <= high else ", which may be chance"
        over += f" ({low:.3g} to {high:.3g}{sure})"
    return f"{over[0].upper()}{over[1:]}: {told}."
