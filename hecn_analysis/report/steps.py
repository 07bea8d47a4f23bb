"""What to do about a folder: which test tells most next, what could be changed, and the finding in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.base.errors import HecnError
from hecn_analysis.base.units import format_rate
from hecn_analysis.ingest.folder import Folder
from hecn_analysis.planning.change import mending
from hecn_analysis.planning.change.advise import Advices, advise
from hecn_analysis.planning.change.change import Change
from hecn_analysis.report.causes import OTHER, Candidate, candidates
from hecn_analysis.report.expected import NOT_COMPARED, Expected
from hecn_analysis.report.ports import port_table

#: Repeats from which a median and its scatter are worth the name.
_ENOUGH: Final = 5

#: A candidate with more than this is taken for the cause. [1]
_LIKELY: Final = 0.5

#: Below this part of an assumed line, the assumption says nothing. [1]
_NEAR: Final = 0.7

#: Above this part, a line is full. [1]
_FULL: Final = 0.95

_ORDER: Final = ("rate", "rtt", "cause", "repeat", "counters", "host")


def leading(found: Sequence[Expected]) -> Expected | None:
    """The kind of run that a finding is about: the one with most runs that could be compared, else with most runs."""
    compared = [one for one in found if one.verdict != NOT_COMPARED]
    return next(iter([*compared, *found]), None)


def next_tests(folder: Folder, found: Sequence[Expected]) -> pd.DataFrame:
    """What to test or to write down next, what tells most first: ``what``, ``how``, ``tells``."""
    rows = sorted(dict.fromkeys(_tests(folder, found)), key=lambda row: _ORDER.index(row[0]))
    return pd.DataFrame([row[1:] for row in rows], columns=["what", "how", "tells"])


def _tests(folder: Folder, found: Sequence[Expected]) -> Iterator[tuple[str, str, str, str]]:
    one = leading(found)
    if one is not None and one.group["protocol"] != "file":
        rate, rtt = one.fact("path.rate"), one.fact("path.rtt")
        if rate is None or not rate.is_known:
            yield (
                "rate", "the line rate of both ends and of the path between", "ethtool INTERFACE",
                "whether the line is full or slower than it should be: the folder does not show its rate",
            )  # fmt: skip
        if rtt is None or not rtt.is_known:
            yield (
                "rtt", "the round-trip time", "ping -c 20 OTHER_HOST",
                "whether a window or loss can matter: the prediction needs it for both",
            )  # fmt: skip
    if one is not None:
        yield from _of_cause(one, candidates(one)[0])
        if len(one.runs) < _ENOUGH:
            yield (
                "repeat", f"the same test {_ENOUGH} times or more", f"repeat {one.condition}",
                f"how much runs differ: {len(one.runs)} of a kind {'is' if len(one.runs) == 1 else 'are'} too few",
            )  # fmt: skip
    if one is not None and one.group["protocol"] != "file" and folder.counters.rates.empty:
        yield (
            "counters", "port counters during a test", "hecn snmp poll SWITCH, or sar -n DEV 1",
            "other traffic and drops on the path, which no tool sees",
        )  # fmt: skip
    if not any(host.machine.cpu.facts for host in folder.inventory.hosts):
        yield (
            "host", "hardware and settings of the hosts", "hecn capture -o FOLDER, on both ends",
            "slots, cores, buffers and cards: their limits enter the prediction, and wrong settings are listed",
        )  # fmt: skip


def _of_cause(one: Expected, cause: Candidate) -> Iterator[tuple[str, str, str, str]]:
    """The test that separates the likeliest cause from the others."""
    rtt, line = one.fact("path.rtt"), one.fact("path.rate")
    if one.group["protocol"] == "file":
        yield (
            "cause", "the storage alone, and the network alone", "fio or dd on each end; nuttcp or iperf3 between them",
            "which of the two is the bottleneck",
        )  # fmt: skip
    elif cause.kind == "window":
        rate = 1e9 if line is None or line.value is None else line.value
        bdp = rate * (0.0 if rtt is None or rtt.value is None else rtt.value) / 8
        yield (
            "cause", "the same with four streams, or a larger window", f"-P 4 (nuttcp: -N4); -w {_mebibytes(2 * bdp)}",
            "a window is the bottleneck if four streams carry four times as much",
        )  # fmt: skip
    elif cause.kind == "loss":
        yield (
            "cause", "UDP at some fixed rates below the line rate", "iperf3 -u -b RATE -t 30",
            "whether packets are lost without TCP filling a queue: then a line or a card is faulty",
        )  # fmt: skip
    elif cause.kind == "cpu":
        yield (
            "cause", "the same with two processes, on other cores", "taskset -c CORE (iperf3: -A)",
            "a core is the bottleneck if two processes carry more",
        )  # fmt: skip
    elif cause.name == OTHER:
        yield (
            "cause", "the same with mpstat and sar on both ends, then with four streams",
            "mpstat -P ALL 1 and sar -n DEV,EDEV 1 beside the test; -P 4 (nuttcp: -N4)",
            "a full core shows itself; more with four streams is a window or losses, the same is a queue or a shaper",
        )  # fmt: skip


def _mebibytes(value: float) -> str:
    return f"{max(1, math.ceil(value / 2**20))}M"


def advice(folder: Folder, found: Sequence[Expected]) -> Advices | None:
    """Rank the free changes to the leading kind of run by their gain; None if none is known."""
    one = leading(found)
    if one is None or one.prediction is None:
        return None
    scenario = one.prediction.scenario
    also: list[Change] = []
    for role in ("sender", "receiver"):
        name = str(scenario.keys.get(f"{role}.name", ""))
        for host in folder.inventory.hosts:
            if name == host.label:
                findings = host.findings.on_path(scenario.path) if scenario.path.rtt.value > 0 else host.findings
                also += mending.changes(findings.findings, role)
    try:
        return advise(scenario, purchases=False, also=also)
    except HecnError:
        return None


def advice_table(given: Advices | None, *, top: int = 6) -> pd.DataFrame:
    """The best changes: ``title``, ``gain_fraction``, ``throughput_bps``, ``how``, ``check``, ``risk``, ``source``."""
    columns = ["title", "gain_fraction", "throughput_bps", "how", "check", "risk", "source"]
    rows = [
        {
            "title": one.title,
            "gain_fraction": one.gain,
            "throughput_bps": one.prediction.throughput_bps,
            **{name: getattr(one.changes[0], name) for name in ("how", "check", "risk", "source")},
        }
        for one in (given.single if given is not None else ())[:top]
    ]
    return pd.DataFrame(rows, columns=columns)


def finding(folder: Folder, found: Sequence[Expected]) -> str:
    """Say in one or two sentences what the folder shows."""
    if folder.is_empty:
        many = len(folder.refused)
        files = "The one file in it is" if many == 1 else f"None of its {many} files is"
        return f"No file could be read. {files} a recognised log, counter file or captured output."
    one = leading(found)
    if one is not None:
        rated = folder.runs[folder.runs["rate_bps"].notna()]
        return _of_runs(folder, one, int(rated["condition"].nunique()))
    ports = port_table(folder)
    if not ports.empty:
        return _of_ports(ports)
    findings = [(host, each) for host in folder.inventory.hosts for each in host.findings.findings]
    hosts = len(folder.inventory.hosts)
    if hosts:
        captured = f"{hosts} captured hosts" if hosts > 1 else f"One captured host, {folder.inventory.hosts[0].name}"
        if not findings:
            return f"{captured}, and no check found a fault."
        first = f"{findings[0][1].place} of {findings[0][0].name}: {findings[0][1].found}"
        return f"{captured}, with {len(findings)} findings; first: {first} (expected {findings[0][1].expected})."
    return f"{folder}: no run with a rate, no port rates and no host."


def _of_runs(folder: Folder, one: Expected, kinds: int) -> str:
    rated = int(folder.runs["rate_bps"].notna().sum())
    failed = int(folder.runs["error"].sum())
    head = f"{rated} run{'s' if rated != 1 else ''} of {kinds} kinds" if kinds > 1 else (
        f"{rated} runs of one kind" if rated != 1 else "One run")  # fmt: skip
    if failed:
        head += f" ({failed} more failed)"
    spread = ""
    if len(one.runs) > 1:
        spread = f", between {format_rate(one.group['least_bps'])} and {format_rate(one.group['most_bps'])}"
    of = f"most are {one.condition}: " if kinds > 1 else f"{one.condition}: "
    head += f"; {of}{format_rate(one.median_bps)}{' in the median' if len(one.runs) > 1 else ''}{spread}"
    if one.prediction is None:
        return f"{head}. {one.why}"
    cause = candidates(one)[0]
    part = one.median_bps / one.prediction.throughput_bps
    rate = one.fact("path.rate")
    held = (
        f"the bottleneck is likely {cause.name} ({cause.probability:.0%})"
        if cause.probability > _LIKELY and cause.name != OTHER
        else "the folder does not show the bottleneck"
        if cause.name == OTHER
        else f"the bottleneck may be {cause.name} ({cause.probability:.0%})"
    )
    if one.verdict.endswith("(assumed limit)") and part < _NEAR:
        return f"{head}. No file states the line rate, so the expected throughput is unknown; {held}."
    if one.verdict.endswith("(assumed limit)"):
        line = "an assumed limit" if rate is None else f"the capacity of an assumed line of {rate.words}"
        why = "If it should be faster, look for a port that negotiated the wrong speed, or for a shaper."
        return f"{head}. That is {part:.0%} of {line}. {why if part > _FULL else ''}".rstrip()
    return f"{head}. That is {part:.0%} of the {format_rate(one.prediction.throughput_bps)} expected; {held}."


def _of_ports(ports: pd.DataFrame) -> str:
    known = ports[ports["p95_greater_bps"].notna()]
    if known.empty:
        return f"No runs; {len(ports)} ports, with too few readings or averages too long to yield a percentile."
    used = known["p95_greater_bps"] / known["speed_bps"]
    row = known.iloc[int(np.nanargmax(used.to_numpy(float))) if used.notna().any() else 0]
    percentile, speed = float(row["p95_greater_bps"]), float(row["speed_bps"])
    of = "" if np.isnan(speed) else f", {percentile / speed:.0%} of its {format_rate(speed)}"
    peak = max(float(row["peak_in_bps"]), float(row["peak_out_bps"]))
    return (
        f"No runs; {len(ports)} ports. The busiest is {row['port'] or 'a port without a name'}: its 95th "
        f"percentile is {format_rate(percentile)}{of}, its peak {format_rate(peak)}."
    )


def summary(found: Sequence[Expected]) -> str:
    """Count the verdicts."""
    counts = pd.Series([one.verdict for one in found], dtype=object).value_counts()
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
