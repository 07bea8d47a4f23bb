"""Tables, figures and sentences of the report's notebook.

Rates in one folder range from kb/s to Tb/s, so each is written with its own unit. A section without data says so in a
sentence, since an absent section would leave open whether the folder was searched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from hecn_analysis import briefs
from hecn_analysis.base import units
from hecn_analysis.diagnosis import remedies
from hecn_analysis.diagnosis.courses import HELD, features_table, of_kind
from hecn_analysis.diagnosis.courses import courses as courses_of
from hecn_analysis.diagnosis.result import Diagnosis
from hecn_analysis.figures import plot_causes, plot_comparison, plot_course, plot_traffic
from hecn_analysis.figures.course import MOST_RUNS
from hecn_analysis.ingest.folder import CAPTURED, SHOWN, Folder
from hecn_analysis.report import ports as counted
from hecn_analysis.report import tables
from hecn_analysis.report.headings import headings

_DAMAGE: Final = (
    "Files with remarks were read as far as possible. hecn parse, hecn counters and hecn inventory list all remarks."
)
_VERDICTS: Final = (
    "Measured: median (range). Expected: what the runs should reach, given everything in the files; empty if nothing "
    "bounds it. Probability: of the finding."
)
_CAUSES: Final = (
    "Probability: of this cause, given everything in the files; unlikely causes are omitted. Evidence: the most "
    "telling lines. Allows: the rate that the cause would allow, if known."
)
_CHANGES: Final = (
    "Then: the rate if the change removes the true cause, with a 90 % interval. Probability: that it is the true "
    "cause, and that the change helps."
)
_MEASURED: Final = (
    "In flight: rate times RTT, per stream. BDP: line rate times RTT. Retransmitted: share of the packets. CPU: cores. "
    "–: not in the logs, or an RTT below 1 ms."
)
#: Up to so many captured outputs of one host are listed one by one.
_FEW: Final = 4

#: A port with more other traffic than this share of a run says nothing about the run. [1]
_HIDDEN: Final = 0.3

#: An empty cell: the row continues the cause above.
_BLANK: Final = "\u00a0"

#: Limits of causes that are less likely are not drawn, but for those that the files state or that follow from them. [1]
_LIKELY: Final = 0.05
_STATED: Final = frozenset({"link", "paced", "window-host", "loss", "shaper"})

_NO_COURSE: Final = (
    "No file shows a rate over time: run iperf3 -J -i 1 or nuttcp -i1, sample ss -tin, or capture with tcpdump -s 128."
)
_FEATURES: Final = (
    "Plateau: median from where the rate first reached 80 % of its median in the second half. Scatter: standard "
    "deviation over mean, without the first quarter. Trend: change over the plateau. Stalled: share of time below a "
    "tenth of it. Window, buffer, program, timeouts: shares of the time in which the receiver's window, the send "
    "buffer, the sending program and retransmission timeouts held the sender back. –: not shown."
)

_PORTS: Final = (
    "Percentiles are nearest rank over equal slots. –: not stated, or averages longer than a slot. Ports without a "
    "known rate are omitted."
)


def verdicts(diagnoses: Sequence[Diagnosis]) -> None:
    """Show the verdict on each kind of run."""
    rows = tables.verdict_table(diagnoses)
    if rows.empty:
        briefs.show_text("No run has a rate, and no line in the files shows what would hold one back.")
        return
    columns = headings("condition", "measured_words", "expected_words", "verdict", "finding", "probability")
    caption = f"Verdicts on {len(rows)} kind{'s' * (len(rows) > 1)} of run"
    _table(rows, _nonempty(rows, columns), caption=caption, note=_VERDICTS)


def causes(folder: Folder, diagnoses: Sequence[Diagnosis]) -> None:
    """Show what holds the runs back, with the lines that support it."""
    rows = tables.causes_table(folder, diagnoses)
    if rows.empty:
        briefs.show_text("No line supports one cause more than the others.")
        return
    rows = rows.assign(
        evidence=[f"{row['place']}: {row['says']}" if row["place"] else row["says"] for row in rows.to_dict("records")],
        resource=(rows["resource"] + " (" + rows["class"] + ")").fillna(_BLANK),
        **{
            "probability value": rows["probability"].map(
                lambda value: _BLANK if pd.isna(value) else units.format_probability(value)
            ),
            "limit value": rows["limit_bps"].map(lambda value: _BLANK if pd.isna(value) else _rate(value)),
        },
    )
    columns = headings("resource", "probability value", "limit value", "evidence")
    caption = f"Causes, and the lines that support them{_of_kind(rows)}"
    _table(rows, _nonempty(rows, columns), caption=caption, note=_CAUSES, group="condition")


def _of_kind(rows: pd.DataFrame) -> str:
    """Kind of run for the caption of a table about a single kind, which has no group headings."""
    kinds = set(rows["condition"])
    return f": {kinds.pop()}" if len(kinds) == 1 else ""


def changes(diagnoses: Sequence[Diagnosis]) -> None:
    """Show what to change."""
    rows = tables.changes_table(diagnoses)
    if rows.empty:
        first = diagnoses[0]
        reason = remedies.nothing(first.causes[0].kind)
        if first.measured_bps is None:
            reason = "no run has a rate"
        briefs.show_text(f"Nothing to change: {reason or 'no cause is likely enough'}.")
        return
    columns = headings("what", "then", "probability", "command", "check")
    caption = f"Changes, the most useful first{_of_kind(rows)}"
    _table(rows, _nonempty(rows, columns), caption=caption, note=_CHANGES, footnotes="source", group="condition")


def questions(diagnoses: Sequence[Diagnosis]) -> None:
    """Show what to test next."""
    rows = tables.questions_table(diagnoses)
    if rows.empty:
        briefs.show_text("No command would tell the causes further apart.")
        return
    rows = rows.assign(**{"bits value": rows["bits"].map(lambda bits: f"{bits:.2f} bit")})
    columns = headings("what", "command", "separates", "bits value")
    _table(rows, columns, caption="What would tell the causes apart, the most telling first")


def sources(folder: Folder) -> None:
    """Show what was read by which reader: file by file if they are few, else by format."""
    rows = _hosts_together(folder.sources)
    if rows.empty:
        briefs.show_text("No file could be read.")
        return
    caption = f"Files read: {folder}"
    if len(rows) <= SHOWN:
        columns = headings("file", "kind", "format", "holds", "remarks", "first")
        briefs.show_table(rows, columns, caption=caption, note=_DAMAGE, footnotes="first")
        return
    by_format = rows.groupby(["kind", "format"], as_index=False).agg(
        files=("source_file", "nunique"), remarks=("remarks", "sum"), example=("file", "first")
    )
    ordered = by_format.sort_values("files", ascending=False, kind="stable")
    columns = headings("kind", "format", "files", "remarks", "example")
    _table(ordered, columns, caption=caption, note=_DAMAGE)


def _hosts_together(rows: pd.DataFrame) -> pd.DataFrame:
    """Merge the captured outputs of one host in one folder into one row."""
    captured = rows[rows["kind"] == CAPTURED]
    if captured.empty:
        return rows
    place = captured["file"].str.rpartition("/")[0]
    merged = []
    for (folder, host), part in captured.groupby([place, captured["holds"]], sort=False):
        if len(part) > _FEW:
            formats = ", ".join(part["format"].head(_FEW)) + f" and {len(part) - _FEW} more"
            first = next((shown for shown in part["first"] if shown), "")
            row = {"file": f"{folder or '.'}: {len(part)} files", "kind": CAPTURED, "format": formats, "holds": host}
            merged.append({**part.iloc[0], **row, "remarks": int(part["remarks"].sum()), "first": first})
            rows = rows.drop(part.index)
    return pd.concat([rows, pd.DataFrame(merged, columns=rows.columns)], ignore_index=True) if merged else rows


def refused(folder: Folder) -> None:
    """Show the files that no reader recognises, and why."""
    rows = folder.refused
    if rows.empty:
        briefs.show_text("Every file was read.")
        return
    _table(
        rows,
        headings("file", "why", "kind") | {"kind": "Problem"},
        caption=f"Files not read: {len(rows)}",
        footnotes="why",
    )


def measured(folder: Folder, diagnoses: Sequence[Diagnosis]) -> None:
    """Show the other measurements of the logs, and those of path probes."""
    rows = tables.measured_table(diagnoses)
    if rows.empty:
        briefs.show_text("This folder contains no run with a rate.")
    else:
        rows = rows.assign(
            **{f"{name} value": rows[name].map(_time) for name in ("rtt_s", "loaded_rtt_s")},
            **{f"{name} value": rows[name].map(_bytes) for name in ("in_flight_bytes", "bdp_bytes")},
            **{"resent value": rows["resent_fraction"].map(_share)},
        )
        columns = headings(
            *("condition", "failed", "rtt_s value", "loaded_rtt_s value", "in_flight_bytes value", "bdp_bytes value"),
            *("resent value", "cpu_sender_fraction", "cpu_receiver_fraction", "tool_version"),
        )
        _table(rows, _nonempty(rows, columns), caption="Other measurements: medians of each kind", note=_MEASURED)
    probes = tables.probes_table(folder)
    if len(probes):
        probes = probes.assign(
            **{"rtt_s value": probes["path_rtt_s"].map(_time), "lost value": probes["loss_fraction"].map(_share)}
        )
        columns = headings("condition", "rtt_s value", "lost value")
        _table(probes, _nonempty(probes, columns), caption="Probes of the path")


def runs(diagnoses: Sequence[Diagnosis]) -> None:
    """Show each run beside the others of its kind."""
    rated = [
        diagnosis.kind.runs.assign(group=diagnosis.kind.condition)
        for diagnosis in diagnoses
        if len(diagnosis.kind.runs)
    ]
    if rated:
        caption = "Each measured run and the median of its kind, for the kinds with most runs"
        briefs.show_figure(plot_comparison(pd.concat(rated)), caption=caption)


def course(folder: Folder, diagnoses: Sequence[Diagnosis]) -> None:
    """Show rates, windows, RTT and retransmits over time, with what the causes allow and what is expected."""
    courses = courses_of(folder, diagnoses)
    if not courses:
        briefs.show_text(_NO_COURSE)
        return
    first = next((verdict for verdict in diagnoses if any(of_kind(verdict, each) for each in courses)), diagnoses[0])
    limits = {
        f"{cause.resource} ({cause.kind})": cause.limit_bps
        for cause in first.causes
        if cause.limit_bps and (cause.probability >= _LIKELY or cause.kind in _STATED)
    }
    low, high = first.expected_low_bps, first.expected_high_bps
    fig = plot_course(courses, limits, (low, high) if low and high else None)
    runs = f"the first {MOST_RUNS} of {len(courses)} runs" if len(courses) > MOST_RUNS else "one line per run"
    allows = ", and what the causes allow" if limits else ""
    name = f"{first.kind.condition}: rate" if first.measured_bps is not None else "Rate"
    briefs.show_figure(fig, caption=f"{name} over time, {runs}{allows}")


def features(folder: Folder, diagnoses: Sequence[Diagnosis]) -> None:
    """Show the shape of each run over time in numbers."""
    rows = features_table(courses_of(folder, diagnoses))
    if rows.empty:
        return
    shown = {
        "start value": rows["start_s"].map(_time),
        "plateau value": rows["plateau_bps"].map(_rate),
        **{f"{name} value": rows[name].map(_percent) for name in ("scatter", "stalled", "trend", *HELD)},
    }
    columns = headings("run", "shape", "start value", "plateau value", "scatter value", "trend value", "stalled value")
    columns |= headings(*(f"{name} value" for name in HELD))
    rows = rows.assign(**shown)
    _table(rows, _nonempty(rows, columns), caption="Shape of each run over time", note=_FEATURES)


def probabilities(diagnoses: Sequence[Diagnosis]) -> None:
    """Show how likely each cause of the first kind is."""
    for first in tables.judged(diagnoses)[:1]:
        briefs.show_figure(plot_causes(first), caption=f"{first.kind.condition}: probability of each cause")


def facts(folder: Folder, diagnoses: Sequence[Diagnosis]) -> None:
    """Show what the files state about path and hosts."""
    rows = tables.facts_table(folder, diagnoses)
    if len(rows):
        columns = headings("name", "value", "place", "says") | {"place": "Line"}
        _table(rows, columns, caption="What the files state about path and hosts")


def findings(folder: Folder) -> None:
    """Show the findings on captured hosts."""
    rows = [
        {"host": host.name,
         **{name: getattr(finding, name) for name in ("place", "found", "expected", "fix", "source")},
         "limit value": _rate(finding.limit_bps), "fixed value": _rate(finding.fixed_bps)}
        for host in folder.inventory.hosts
        for finding in host.findings.findings
    ]  # fmt: skip
    if not folder.inventory.hosts:
        briefs.show_text(
            "This folder contains no captured host, so the limits of slots, cores, cards and buffers are unknown."
        )
        return
    if not rows:
        checks = max(len(host.findings.unchecked) for host in folder.inventory.hosts)
        briefs.show_text(f"No check found a fault on the captured hosts; up to {checks} checks lacked output.")
        return
    frame = pd.DataFrame(rows)
    columns = headings("host", "place", "found", "expected", "limit value", "fixed value", "fix")
    _table(frame, columns, caption=f"Findings on captured hosts: {len(rows)}", footnotes="fix")


def ports(folder: Folder, table: pd.DataFrame) -> None:
    """Show the utilisation of the ports, and the busiest one over time."""
    if table.empty:
        n_samples = len(folder.counters.samples)
        sentence = (
            f"{n_samples} counter readings, but no two of the same port, so there is no rate."
            if n_samples
            else "This folder contains no port counters."
        )
        briefs.show_text(sentence)
        return
    rates = folder.counters.rates[folder.counters.rates["time"].notna()]
    slot_s = counted.slot_length(rates)
    rows = table[table["bytes"] != 0] if (table["bytes"] > 0).any() else table
    used = rows["p95_greater_bps"] / rows["speed_bps"]
    rows = rows.assign(
        **{
            f"{name} value": rows[f"{name}_bps"].map(_rate)
            for name in ("speed", "mean_in", "mean_out", "p95_in", "p95_out", "peak_in", "peak_out")
        },
        full_fraction=used,
    )
    columns = headings(
        "port",
        "speed value",
        "mean_in value",
        "mean_out value",
        "p95_in value",
        "p95_out value",
        "peak_in value",
        "peak_out value",
        "full_fraction",
        "remark",
    )
    caption = f"Port traffic, in slots of {units.format_time(slot_s)}"
    _table(rows, _nonempty(rows, columns), caption=caption, note=_PORTS)
    first = rows.iloc[0]
    port_rates = counted.rates_of(folder, first["host"], first["interface"])
    fig = plot_traffic(port_rates, slot_s=slot_s, speed_bps=first["speed_bps"])
    briefs.show_figure(
        fig,
        caption=f"{first['port'] or 'The port'} carried the most: rates over time, in upwards and out downwards",
    )


def agreement(folder: Folder) -> None:
    """Show whether tools and ports agree."""
    rows = counted.agreement(folder)
    if rows.empty:
        if len(folder.counters.rates) and len(folder.runs):
            briefs.show_text("The ports have no rates for the time of any run.")
        return
    hidden = (rows["verdict"] == "averaging window too long") | (
        rows["background_bytes"] > _HIDDEN * rows["expected_bytes"]
    )
    note = (
        f"{int(hidden.sum())} further runs cannot be separated from other traffic on the ports." if hidden.any() else ""
    )
    rows = rows[~hidden]
    if rows.empty:
        briefs.show_text(f"No run can be compared with the ports. {note}")
        return
    rows = rows.assign(place=rows["file"].str.cat(rows["run"].astype(str), sep=", run "))
    columns = headings("place", "tool", "port", "direction", "verdict", "message") | {"place": "Run"}
    counts = ", ".join(f"{number} {verdict}" for verdict, number in rows["verdict"].value_counts().items())
    _table(rows, columns, caption=f"Runs compared with port counters: {counts}", note=note, footnotes="message")


def _table(
    rows: pd.DataFrame,
    columns: Mapping[str, str],
    *,
    caption: str,
    note: str = "",
    footnotes: str | None = None,
    group: str | None = None,
) -> None:
    """Show the first rows of a table that may be too long for a page, with the number of omitted rows."""
    more = len(rows) - SHOWN
    if more > 0:
        note = f"{more} further rows are omitted. {note}".strip()
    briefs.show_table(rows.head(SHOWN), columns, caption=caption, note=note, footnotes=footnotes, group=group)


def _nonempty(rows: pd.DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """Columns with content in at least one shown row."""
    shown = rows.head(SHOWN)
    return {name: label for name, label in columns.items() if _has_content(shown[name])}


def _has_content(column: pd.Series[Any]) -> bool:
    known = column.dropna()
    return bool((~known.astype(str).isin(["", "–", "0", _BLANK])).any())


def _rate(value: float | None) -> str:
    return "–" if value is None or pd.isna(value) else units.format_rate(value)


def _bytes(value: float) -> str:
    return "–" if pd.isna(value) else units.format_bytes(value)


def _time(value: float) -> str:
    return "–" if pd.isna(value) else units.format_time(value, digits=3)


def _percent(value: float) -> str:
    return "–" if pd.isna(value) else units.format_percent(value)


def _share(value: float) -> str:
    return "–" if pd.isna(value) else f"{value * 100:.2g} %"
