"""The finding of a folder in a few sentences, and the numbers beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.briefs import KeyFigure
from hecn_analysis.diagnosis import result
from hecn_analysis.diagnosis.result import UNDETERMINED, Diagnosis
from hecn_analysis.ingest.folder import Folder
from hecn_analysis.report import tables
from hecn_analysis.report.ports import port_table


def finding(folder: Folder, verdicts: Sequence[Diagnosis]) -> str:
    """The finding of the folder in a few sentences."""
    first = verdicts[0]
    if first.measured_bps is not None:
        return " ".join([_of_runs(folder, verdicts), *_of_cause(first)])
    if folder.is_empty:
        n_files = len(folder.refused)
        files = "The one file in it is" if n_files == 1 else f"None of its {n_files} files is"
        return f"No file could be read. {files} a recognised log, counter file or captured output."
    parts = [*_of_aborted(folder), *_of_probes(folder)]
    if first.verdict != UNDETERMINED:
        return " ".join([*(parts or ["No run has a rate."]), *_of_cause(first)])
    parts += [*_of_ports(port_table(folder)), *_of_hosts(folder)]
    return " ".join(parts) or f"{folder}: no run with a rate, no port rates and no host."


def _of_runs(folder: Folder, verdicts: Sequence[Diagnosis]) -> str:
    first = verdicts[0]
    rated = sum(len(verdict.kind.runs) for verdict in verdicts)
    failed = int(folder.runs["error"].sum())
    several = len(verdicts) > 1
    head = f"{rated} runs" if rated != 1 else "One run"
    head += f" of {len(verdicts)} kinds" if several else " of one kind" if rated != 1 else ""
    head += f" ({failed} more failed)" if failed else ""
    is_most = several and len(first.kind.runs) > len(verdicts[1].kind.runs)
    lead = "most are " if is_most else "the slowest: " if several else ""
    return f"{head}; {lead}{first.kind.condition}: {result.rates(first)}."


def _of_cause(verdict: Diagnosis) -> Iterator[str]:
    """Return the cause that limits the runs, and the first change; if it is undetermined, the next test."""
    sentence = result.finding(verdict)
    yield f"{sentence[:1].upper()}{sentence[1:]}."
    if verdict.verdict == UNDETERMINED:
        yield from (f"First test: {question.command}." for question in verdict.missing[:1])
        return
    for change in verdict.changes[:1]:
        gain = result.gain(change, verdict)
        yield f"First change: {change.what}{gain and f'; {gain}'}."


def _of_aborted(folder: Folder) -> Iterator[str]:
    failed = int(folder.runs["error"].sum())
    if failed:
        yield f"{failed} runs were aborted." if failed > 1 else "The one run was aborted."


def _of_probes(folder: Folder) -> Iterator[str]:
    """Results of ping and similar probes."""
    runs = folder.runs[folder.runs["rtt_min_s"].notna() | folder.runs["loss_fraction"].notna()]
    for tool, part in runs.groupby("tool", sort=False):
        rtt, loss = part["rtt_min_s"].astype(float), part["loss_fraction"].astype(float)
        observed = [f"an RTT of {units.format_time(float(rtt.min()), digits=3)}"] if rtt.notna().any() else []
        observed += (
            [f"{units.format_percent(float(loss.median()), places=2)} of the packets lost"] if loss.median() > 0 else []
        )
        if observed:
            yield f"{tool}: {', '.join(observed)}."


def _of_hosts(folder: Folder) -> Iterator[str]:
    hosts = folder.inventory.hosts
    if not hosts:
        return
    captured = f"{len(hosts)} captured hosts" if len(hosts) > 1 else f"One captured host, {hosts[0].name}"
    findings = [(host, finding) for host in hosts for finding in host.findings.findings]
    if not findings:
        yield f"{captured}; no check found a fault."
        return
    host, first = findings[0]
    details = f"{first.place} of {host.name}: {first.found} (expected {first.expected})"
    yield f"{captured}, with {len(findings)} findings; first: {details}."


def _of_ports(ports: pd.DataFrame) -> Iterator[str]:
    if ports.empty:
        return
    known = ports[ports["p95_greater_bps"].notna()]
    if known.empty:
        yield f"No runs; {len(ports)} ports, with too few readings or averages too long to yield a percentile."
        return
    used = known["p95_greater_bps"] / known["speed_bps"]
    row = known.iloc[int(np.nanargmax(used.to_numpy(float))) if used.notna().any() else 0]
    percentile, speed = float(row["p95_greater_bps"]), float(row["speed_bps"])
    share = "" if np.isnan(speed) else f", {units.format_percent(percentile / speed)} of its {units.format_rate(speed)}"
    peak = max(float(row["peak_in_bps"]), float(row["peak_out_bps"]))
    yield (
        f"No runs; {len(ports)} ports. The busiest is {row['port'] or 'a port without a name'}: its 95th "
        f"percentile is {units.format_rate(percentile)}{share}, its peak {units.format_rate(peak)}."
    )


def key_figures(folder: Folder, verdicts: Sequence[Diagnosis]) -> list[KeyFigure]:
    """The numbers beside the finding; an expected rate only if it is bounded."""
    first = verdicts[0]
    files = f"{folder.sources['source_file'].nunique()}"
    unread = f"{len(folder.refused)} not recognised"
    figures = []
    if first.measured_bps is None:
        figures.append(KeyFigure("Files read", files, unread))
    else:
        rated = sum(len(verdict.kind.runs) for verdict in verdicts)
        kinds = units.format_count(len(verdicts), "kind")
        figures.append(KeyFigure("Runs", f"{rated}", f"{kinds}; files read: {files}, {unread}"))
        figures.append(KeyFigure("Median", units.format_rate(first.measured_bps), first.kind.condition))
    if first.expected_bps is not None:
        figures.append(KeyFigure("Expected", tables.rates(first)[1]))
    if first.verdict != UNDETERMINED:
        likeliest = first.causes[0]
        figures.append(
            KeyFigure("Likeliest cause", units.format_probability(likeliest.probability), likeliest.resource)
        )
    if first.measured_bps is None and len(folder.counters.rates):
        figures.append(KeyFigure("Port rates", f"{len(folder.counters.rates)}"))
    if first.measured_bps is None and folder.inventory.hosts:
        figures.append(KeyFigure("Captured hosts", f"{len(folder.inventory.hosts)}"))
    return figures
