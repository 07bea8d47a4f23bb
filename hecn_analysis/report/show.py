"""What the notebook of a report shows: tables as people read them, each whole or with the number of rows left out.

Rates span from kb/s to Tb/s in one folder, so that each is written with its own unit. What there is nothing of is said
in a sentence, for a report without a section would leave open whether anybody looked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from hecn_analysis import briefs
from hecn_analysis.base import units
from hecn_analysis.figures import plot_comparison, plot_course, plot_ladder, plot_measured_vs_predicted, plot_traffic
from hecn_analysis.ingest.folder import CAPTURED, SHOWN, Folder
from hecn_analysis.report import causes as weighed
from hecn_analysis.report import expected as predicted
from hecn_analysis.report import ports as counted
from hecn_analysis.report import steps
from hecn_analysis.report.expected import Expected
from hecn_analysis.runs import alike

_DAMAGE: Final = (
    "A file with remarks was read as far as it could be. hecn parse, hecn counters and hecn inventory list all of them."
)
_CAUSES: Final = (
    "Probability: of these candidates alone, by how near each one's throughput is to the median that was measured. "
    "What is assumed weighs less. Candidates below 3 % are left out."
)
_WINDOWS: Final = (
    "Under way: rate times round-trip time, of each stream. Fills the line: what would have to be. Unset hosts: what "
    "one Linux host sends another whose buffers nobody has set, all streams together. Lost or sent again: of the "
    "packets, where the log counts them."
)
#: Captured outputs of one host that are listed one by one.
_FEW: Final = 4

#: Where a port carries more than this part of a run beside it, what it counted is no witness of the run. [1]
_HIDDEN: Final = 0.3

#: Nearer than this, any buffer is window enough. [s]
_FAR_S: Final = 0.001

#: A ladder is drawn where its second limit is no further than this from the first.
_IN_SIGHT: Final = 30.0

_PORTS: Final = (
    "Percentiles rank slots of equal length by nearest rank. –: not stated, or averages over longer than a slot. Ports "
    "without a known rate are left out."
)


def key_figures(folder: Folder, found: Sequence[Expected]) -> list[briefs.KeyFigure]:
    """The numbers beside the finding."""
    files = folder.sources["source_file"].nunique()
    figures = [briefs.KeyFigure("Files read", f"{files}", f"{len(folder.refused)} not known here")]
    one = steps.leading(found)
    if one is not None:
        figures.append(
            briefs.KeyFigure("Runs", f"{int(folder.runs['rate_bps'].notna().sum())}", f"{len(found)} kinds shown")
        )
        figures.append(briefs.KeyFigure("Median", units.format_rate(one.median_bps), one.condition))
        if one.prediction is not None:
            interval = f"{units.format_rate(one.prediction.low_bps)} to {units.format_rate(one.prediction.high_bps)}"
            figures.append(briefs.KeyFigure("Expected", units.format_rate(one.prediction.throughput_bps), interval))
    elif len(folder.counters.rates):
        figures.append(briefs.KeyFigure("Rates of ports", f"{len(folder.counters.rates)}"))
    if folder.inventory.hosts and len(figures) < _MOST_FIGURES:
        figures.append(briefs.KeyFigure("Captured hosts", f"{len(folder.inventory.hosts)}"))
    return figures


_MOST_FIGURES: Final = 4


def sources(folder: Folder) -> None:
    """Show what was read by which reader: file by file where they are few, else by format."""
    rows = _hosts_together(folder.sources)
    if rows.empty:
        briefs.show_text("No file could be read.")
        return
    caption = f"What was read: {folder}"
    if len(rows) <= SHOWN:
        columns = {
            "file": "File",
            "kind": "Holds",
            "format": "Read as",
            "holds": "What",
            "remarks": "Remarks",
            "first": "First remark",
        }
        briefs.show_table(rows, columns, caption=caption, note=_DAMAGE, footnotes="first")
        return
    by_format = rows.groupby(["kind", "format"], as_index=False).agg(
        files=("source_file", "nunique"), remarks=("remarks", "sum"), example=("file", "first")
    )
    ordered = by_format.sort_values("files", ascending=False, kind="stable")
    columns = {"kind": "Holds", "format": "Read as", "files": "Files", "remarks": "Remarks", "example": "For example"}
    _table(ordered, columns, caption=caption, note=_DAMAGE)


def _hosts_together(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for the captured outputs of a host that lie in one folder."""
    captured = rows[rows["kind"] == CAPTURED]
    if captured.empty:
        return rows
    place = captured["file"].str.rpartition("/")[0]
    together = []
    for (where, host), part in captured.groupby([place, captured["holds"]], sort=False):
        if len(part) > _FEW:
            formats = ", ".join(part["format"].head(_FEW)) + f" and {len(part) - _FEW} more"
            first = next((one for one in part["first"] if one), "")
            one = {"file": f"{where or '.'}: {len(part)} files", "kind": CAPTURED, "format": formats, "holds": host}
            together.append({**part.iloc[0], **one, "remarks": int(part["remarks"].sum()), "first": first})
            rows = rows.drop(part.index)
    return pd.concat([rows, pd.DataFrame(together, columns=rows.columns)], ignore_index=True) if together else rows


def refused(folder: Folder) -> None:
    """Show which files no reader knows, and why."""
    rows = folder.refused
    if rows.empty:
        briefs.show_text("Every file was read.")
        return
    _table(
        rows,
        {"file": "File", "kind": "Problem", "why": "Why"},
        caption=f"What was not read: {len(rows)} files",
        footnotes="why",
    )


def groups(folder: Folder) -> None:
    """Show the kinds of runs."""
    rows = alike.groups(folder.runs)
    rows = rows[(rows["runs"] > 0) | (rows["failed"] > 0) | rows["path_rtt_s"].notna()]
    if rows.empty:
        briefs.show_text("No log of a tool is in this folder.")
        return
    rows = rows.assign(
        **{f"{name} value": rows[f"{name}_bps"].map(_rate) for name in ("median", "least", "most")},
        **{"resent value": rows["retransmits_per_gb"].map(lambda one: "–" if pd.isna(one) else f"{one:,.3g}")},
        **{"rtt value": rows["path_rtt_s"].map(lambda one: "–" if pd.isna(one) else units.format_time(one, digits=3))},
    )
    columns = {
        "condition": "Kind",
        "runs": "Runs",
        "failed": "Failed",
        "median value": "Median",
        "least value": "Least",
        "most value": "Most",
        "rtt value": "RTT",
        "resent value": "Retransmits/GB",
        "cpu_sender_fraction": "CPU sender",
        "cpu_receiver_fraction": "CPU receiver",
        "tool_version": "Version",
    }
    _table(rows, _said(rows, columns), caption=f"The kinds of runs: {len(folder.runs)} runs, medians of each kind")


def runs(folder: Folder) -> None:
    """Show each run beside those that are alike."""
    if folder.runs["rate_bps"].notna().any():
        named = folder.runs.assign(group=folder.runs["condition"])
        briefs.show_figure(
            plot_comparison(named), caption="Each run and the median of its kind, as measured; the kinds with most runs"
        )


def course(folder: Folder, found: Sequence[Expected]) -> None:
    """Show the rates over time of the runs of one kind, where their logs have them."""
    one = steps.leading(found)
    if one is None or folder.reading.intervals.empty:
        return
    fig = plot_course(folder.reading.intervals, one.runs)
    if fig.data:
        briefs.show_figure(fig, caption=f"{one.condition}: rate over time, each run a line")


def verdicts(found: Sequence[Expected]) -> None:
    """Show measured against predicted."""
    if not found:
        briefs.show_text("Without a run that has a rate, there is nothing to compare.")
        return
    rows = predicted.table(found)
    rows = rows.assign(
        **{"measured value": rows["measured_bps"].map(_rate), "predicted value": rows["predicted_bps"].map(_rate)},
        **{"within value": [_interval(row) for row in rows.to_dict("records")]},
    )
    columns = {"case": "Kind", "runs": "Runs", "measured value": "Median", "predicted value": "Expected"}
    columns |= {"within value": "90 % of runs", "verdict": "Verdict", "why": "Why"}
    briefs.show_table(
        rows, columns, caption=f"What was measured, and what was expected: {steps.summary(found)}", footnotes="why"
    )
    known = rows[rows["predicted_bps"].notna()]
    if len(known):
        caption = (
            "Median of each kind against its prediction with the 90 % interval of single runs, and what binds there"
        )
        briefs.show_figure(plot_measured_vs_predicted(known), caption=caption)


def facts(found: Sequence[Expected]) -> None:
    """Show what the predictions rest on."""
    rows = predicted.facts_table(found)
    if len(rows):
        columns = {
            "name": "What",
            "words": "Taken as",
            "basis": "Basis",
            "spread": "Could be",
            "kinds": "Kinds",
            "source": "From",
        }
        briefs.show_table(
            rows, columns, caption="What the predictions rest on, what is assumed first", footnotes="source"
        )
    made = [one.prediction for one in found if one.prediction is not None]
    if any(
        one.basis != "specification" and one.name.startswith(("sender", "receiver"))
        for made_one in made
        for one in made_one.assumptions
    ):
        briefs.show_assumptions(made)


def causes(found: Sequence[Expected]) -> None:
    """Show what may hold the runs back."""
    rows = weighed.causes_table(found)
    if rows.empty:
        briefs.show_text("Without a run that has a rate, nothing can be said of what holds it back.")
        return
    rows = rows.assign(
        **{"limit value": rows["limit_bps"].map(_rate), "measured value": rows["measured_bps"].map(_rate)}
    )
    columns = {"condition": "Kind", "measured value": "Median", "name": "Held back by", "limit value": "Which allows"}
    columns |= {"probability": "Probability", "evidence": "From"}
    _table(rows, columns, caption="What may hold the runs back", note=_CAUSES, footnotes="evidence")


def windows(found: Sequence[Expected]) -> None:
    """Show bandwidth-delay products and losses of TCP."""
    rows = weighed.windows_table(found)
    rows = rows[rows["rtt_s"] >= _FAR_S]
    if rows.empty:
        return
    rows = rows.assign(
        **{"flight value": rows["in_flight_bytes"].map(_bytes), "bdp value": rows["bdp_bytes"].map(_bytes)},
        **{
            "default value": rows["default_bps"].map(_rate),
            "rtt value": rows["rtt_s"].map(lambda one: units.format_time(one, digits=3)),
        },
        **{"lost value": rows["loss_fraction"].map(lambda one: "–" if pd.isna(one) else f"{one * 100:.2g} %")},
    )
    columns = {"condition": "Kind", "rtt value": "RTT", "flight value": "Under way", "bdp value": "Fills the line"}
    columns |= {"default value": "Unset hosts", "lost value": "Lost or sent again"}
    briefs.show_table(rows, columns, caption="TCP: windows and losses", note=_WINDOWS)


def ladder(found: Sequence[Expected]) -> None:
    """Show the ladder of the kind that was made most often, where there is more than one limit in sight."""
    one = steps.leading(found)
    if one is None or one.prediction is None or len(one.prediction.ladder) < 2:
        return
    first, second, *_ = one.prediction.ladder
    if second.throughput_bps <= _IN_SIGHT * first.throughput_bps:
        caption = f"{one.condition}: the limits that are known or assumed, slowest first, and the measured median"
        briefs.show_figure(plot_ladder(one.prediction, measured_bps=one.median_bps), caption=caption)


def findings(folder: Folder) -> None:
    """Show what was found wrong with captured hosts."""
    rows = [
        {"host": host.name, **{name: getattr(one, name) for name in ("place", "found", "expected", "fix", "source")},
         "limit value": _rate(one.limit_bps), "mended value": _rate(one.mended_bps)}
        for host in folder.inventory.hosts
        for one in host.findings.findings
    ]  # fmt: skip
    if not folder.inventory.hosts:
        briefs.show_text(
            "No captured host is in this folder: what its slots, cores, cards and buffers allow is not known."
        )
        return
    if not rows:
        checks = max(len(host.findings.unchecked) for host in folder.inventory.hosts)
        briefs.show_text(
            f"No check of the captured hosts found anything wrong; up to {checks} checks lacked an output."
        )
        return
    frame = pd.DataFrame(rows)
    columns = {"host": "Host", "place": "Where", "found": "Found", "expected": "Expected", "limit value": "Allows"}
    columns |= {"mended value": "Mended", "fix": "Fix"}
    _table(frame, columns, caption=f"Findings on captured hosts: {len(rows)}", footnotes="fix")


def ports(folder: Folder, seen: pd.DataFrame) -> None:
    """Show how full the ports were, and the one that carried most over time."""
    if seen.empty:
        many = len(folder.counters.samples)
        words = (
            f"{many} readings of counters, none with a second one to make a rate of."
            if many
            else "No counters of ports are in this folder."
        )
        briefs.show_text(words)
        return
    rates = folder.counters.rates[folder.counters.rates["time"].notna()]
    slot_s = counted.slot_length(rates)
    rows = seen[seen["bytes"] != 0] if (seen["bytes"] > 0).any() else seen
    used = rows["p95_greater_bps"] / rows["speed_bps"]
    rows = rows.assign(
        **{
            f"{name} value": rows[f"{name}_bps"].map(_rate)
            for name in ("speed", "mean_in", "mean_out", "p95_in", "p95_out", "peak_in", "peak_out")
        },
        full_fraction=used,
    )
    columns = {"port": "Port", "speed value": "Stated speed", "mean_in value": "Mean in", "mean_out value": "Mean out"}
    columns |= {
        "p95_in value": "95th in",
        "p95_out value": "95th out",
        "peak_in value": "Peak in",
        "peak_out value": "Peak out",
    }
    columns |= {"full_fraction": "95th of the speed", "remark": "Remark"}
    caption = f"What the ports carried, in slots of {units.format_time(slot_s)}"
    _table(rows, _said(rows, columns), caption=caption, note=_PORTS)
    first = rows.iloc[0]
    own = counted.rates_of(folder, first["host"], first["interface"])
    fig = plot_traffic(own, slot_s=slot_s, speed_bps=first["speed_bps"])
    briefs.show_figure(
        fig, caption=f"{first['port'] or 'The port'} carried most: rates over time, in upwards and out downwards"
    )


def agreement(folder: Folder) -> None:
    """Show whether tools and ports agree."""
    rows = counted.agreement(folder)
    if rows.empty:
        if len(folder.counters.rates) and len(folder.runs):
            briefs.show_text("No run was at a time for which the ports have rates.")
        return
    hidden = (rows["verdict"] == "averaging window too long") | (
        rows["background_bytes"] > _HIDDEN * rows["expected_bytes"]
    )
    note = (
        f"{int(hidden.sum())} further runs cannot be told from what else the ports carried then."
        if hidden.any()
        else ""
    )
    rows = rows[~hidden]
    if rows.empty:
        briefs.show_text(f"No run can be held to the ports. {note}")
        return
    rows = rows.assign(place=rows["file"].str.cat(rows["run"].astype(str), sep=", run "))
    columns = {
        "place": "Run",
        "tool": "Tool",
        "port": "Port",
        "direction": "Direction",
        "verdict": "Verdict",
        "message": "Why",
    }
    counts = ", ".join(f"{number} {verdict}" for verdict, number in rows["verdict"].value_counts().items())
    _table(rows, columns, caption=f"Runs held to what the ports counted: {counts}", note=note, footnotes="message")


def advice(folder: Folder, found: Sequence[Expected]) -> None:
    """Show what could be changed."""
    one = steps.leading(found)
    rows = steps.advice_table(steps.advice(folder, found))
    if rows.empty:
        why = (
            "No setting that is known here would make the prediction faster: the line binds in it, or what is assumed."
        )
        if one is None or one.prediction is None:
            why = "No run can be predicted, so that no change can be either."
        briefs.show_text(why)
        return
    rows = rows.assign(**{"rate value": rows["throughput_bps"].map(_rate)}, gain=rows["gain_fraction"].map(_gain))
    columns = {"title": "Change", "gain": "Gain", "rate value": "Then", "how": "How", "check": "Check"}
    caption = f"What could be changed at no cost, predicted for {one.condition if one is not None else ''}"
    briefs.show_table(rows, columns, caption=caption)


def _gain(gain: float) -> str:
    return f"{gain:+.0%}" if gain < 2 else f"{1 + gain:.3g} times"


def _table(
    rows: pd.DataFrame, columns: Mapping[str, str], *, caption: str, note: str = "", footnotes: str | None = None
) -> None:
    """Show the first rows of a table that may be too long for a page, and say how many there are more."""
    more = len(rows) - SHOWN
    if more > 0:
        note = f"{more} further rows are left out. {note}".strip()
    briefs.show_table(rows.head(SHOWN), columns, caption=caption, note=note, footnotes=footnotes)


def _said(rows: pd.DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """Columns that say something in some row."""
    shown = rows.head(SHOWN)
    return {name: label for name, label in columns.items() if _says(shown[name])}


def _says(column: pd.Series[Any]) -> bool:
    said = column.dropna()
    return bool((~said.astype(str).isin(["", "–", "0"])).any())


def _rate(value: float | None) -> str:
    return "–" if value is None or pd.isna(value) else units.format_rate(value)


def _bytes(value: float) -> str:
    return "–" if pd.isna(value) else units.format_bytes(value)


def _interval(row: Mapping[Any, Any]) -> str:
    return "–" if pd.isna(row["low_bps"]) else f"{_rate(row['low_bps'])} to {_rate(row['high_bps'])}"
