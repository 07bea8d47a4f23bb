"""Reports of mpstat, as text or JSON: how busy each processor is. There are no interfaces in them, all is facts.

Versions: sysstat 9 to 12.7 in any locale (see `sysstat`), ``-P ALL``, ``-A``, ``-o JSON``.

Units and traps
---------------
- Values are per cent of one processor; busy is what is not idle. "all" (JSON: "-1" or "all") is the mean of all.
- Tables of interrupts stand between those of processors with ``-A``; rows of one time count once.
- The average at the end, by whatever word, has no clock and is left where rows with clocks are; it is read where they
  are not (``mpstat 1 5 | grep Average``). JSON has clocks without a date, and may break off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.json_parts import hosts_of, values_of
from hecn_analysis.counters.programs.readings import local_time, moments
from hecn_analysis.counters.programs.sysstat import (
    CLOCK,
    Days,
    clock_of,
    day_of,
    first_line,
    later_lines,
    stamp_of,
)
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number
from hecn_analysis.parsing.json_values import objects

FORMATS: Final = ("mpstat", "mpstat-json")
VERSIONS: Final = "sysstat 9 to 12.7"
WHOLE: Final = False

HEADING: Final = re.compile(
    r"\b(?:CPU|NODE)\s+(?:%use?r\s+%nice\s+%sys(?:tem)?\s+%iowait\s+%irq\b|intr/s|(?:\d+|HI|NMI)/s)"
)
"""Columns in mpstat's order; sar -u ALL has the same ones in another."""
_MEAN: Final = re.compile(r"^[^\W\d][^:\d]{1,24}:\s{1,12}(?=\S)")
_HALF_A_DAY: Final = timedelta(hours=12)


def recognises(document: Document) -> bool:
    """Whether a first line is followed by a table of processors with interrupts, or it is such JSON."""
    if document.start.startswith("{"):
        return (
            '"sysstat"' in document.start[:200]
            and bool(re.search(r'"(?:cpu-load|node-load|sum-interrupts|individual-interrupts)"', document.text))
            and '"file-date"' not in document.start
        )
    return _has_clocks(document) or any(_MEAN.match(line) and HEADING.search(line) for line in document.lines[:400])


def read(document: Document, findings: CounterFindings) -> None:
    """Read how busy the processors are."""
    if document.start.startswith("{"):
        findings.format = "mpstat-json"
        for value in values_of(document, findings):
            _json(value, findings)
        return
    findings.format = "mpstat"
    if _has_clocks(document):
        _rows(document, findings)
    else:
        _means(document, findings)


def _has_clocks(document: Document) -> bool:
    return any(CLOCK.match(line) and HEADING.search(line) for line in document.lines[:400])


def _rows(document: Document, findings: CounterFindings) -> None:
    """Read the rows of all times."""
    days = Days(findings)
    if (first := first_line(document)) is not None:
        days.begin(first, document)
        findings.facts.update(host=first.host, n_cpus=first.cpus, date=days.date)
    else:
        message = "found a table of mpstat, expected its first line with the date above it; the rows have no times"
        findings.problem(1, "truncated", message)
    columns: list[str] = []
    times: list[float | None] = []
    loads: list[Mapping[str, str]] = []
    later = later_lines(document)
    for line, text in enumerate(document.lines, 1):
        if line in later:
            days.begin(later[line], document)
        clock = CLOCK.match(text)
        if clock is None:
            continue
        words = text[clock.end() :].split()
        if words[:1] == ["CPU"] or words[:1] == ["NODE"]:
            columns = words
            days.time(line, clock, "", counts=False)
        elif columns and len(words) == len(columns):
            time = days.time(line, clock, "", row=words[0])
            if time is not None:
                times.append(time)
            row = dict(zip(columns, words, strict=True))
            if row.get("CPU") == "all" and "%idle" in row:
                loads.append({name.removeprefix("%"): value for name, value in row.items()})
    findings.facts.update(moments(times))
    findings.facts.update(days.facts())
    _loads(loads, findings)


def _means(document: Document, findings: CounterFindings) -> None:
    """Read averages that stand alone."""
    first = first_line(document)
    if first is not None:
        findings.facts.update(host=first.host, n_cpus=first.cpus)
    columns: list[str] = []
    loads: list[Mapping[str, str]] = []
    for line, text in enumerate(document.lines, 1):
        label = _MEAN.match(text)
        words = text[label.end() :].split() if label else []
        if words[:1] == ["CPU"]:
            columns = [word.removeprefix("%") for word in words]
        elif columns and words[:1] == ["all"] and len(words) == len(columns):
            loads.append(dict(zip(columns, words, strict=True)))
        elif columns and words[:1] == ["all"]:
            expected = f"{len(columns)} figures: {', '.join(columns)}"
            findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected {expected}; left out")
    _loads(loads, findings)


def _loads(loads: list[Mapping[str, Any]], findings: CounterFindings) -> None:
    """Facts of the rows of all processors together."""
    shares = {
        name: [number(str(next((load[key] for key in keys if key in load), None))) for load in loads]
        for name, keys in (("idle", ("idle",)), ("sys", ("sys", "system")), ("soft", ("soft",)))
    }
    known = {
        name: np.array([np.nan if value is None else value / 100 for value in values])
        for name, values in shares.items()
    }
    if not loads or np.isnan(known["idle"]).all():
        return
    busy = 1 - known["idle"]
    facts: dict[str, object] = {
        "all_busy_fraction": [round(float(value), 6) for value in busy],
        "all_mean_busy_fraction": float(np.nanmean(busy)),
    }
    for name in ("sys", "soft"):
        if not np.isnan(known[name]).all():
            facts[f"all_mean_{name}_fraction"] = float(np.nanmean(known[name]))
    findings.facts["cpu"] = facts


def _json(value: Any, findings: CounterFindings) -> None:  # noqa: ANN401 - of any JSON
    times: list[float | None] = []
    locals_: list[datetime] = []
    loads: list[Mapping[str, Any]] = []
    count = 0
    for host in hosts_of(value):
        findings.facts.update(host=host.get("nodename"), n_cpus=host.get("number-of-cpus"))
        last: datetime | None = None
        for entry in objects(host.get("statistics")):
            if "timestamp" not in entry:
                continue
            count += 1
            local = _moment(str(host.get("date", "")), str(entry.get("timestamp", "")), last)
            if local is not None:
                last = local
                locals_.append(local)
                times.append(local_time(findings, None, local))
            loads += [load for load in objects(entry.get("cpu-load") or entry.get("node-load")) if _is_all(load)]
    findings.facts.update(moments(times))
    findings.facts["n_samples"] = count
    if locals_:
        findings.facts.update(first_time_local=locals_[0].isoformat(), last_time_local=locals_[-1].isoformat())
    _loads(loads, findings)


def _is_all(load: Mapping[str, Any]) -> bool:
    return str(load.get("cpu", load.get("node"))) in {"all", "-1"}


def _moment(date: str, text: str, last: datetime | None) -> datetime | None:
    """Local time of a clock, on the next day if it goes back."""
    if whole := stamp_of(text):
        return whole
    match = CLOCK.match(f"{text} ")
    clock = clock_of(match) if match else None
    half = bool(match and (match["before"] or match["after"]))
    day, _ = day_of(date, half_days=half, clock=True)
    if clock is None or day is None:
        return None
    local = datetime.combine(last.date() if last else day, clock)
    return local + timedelta(days=1) if last and last - local > _HALF_A_DAY else local
