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
from hecn_analysis.figures import plot_comparison, plot_course, plot_ladder, plot_measured_vs_predicted, plot_traffic
from hecn_analysis.ingest.folder import CAPTURED, SHOWN, Folder
from hecn_analysis.report import causes as weighed
from hecn_analysis.report import expected as predicted
from hecn_analysis.report import ports as counted
from hecn_analysis.report import steps
from hecn_analysis.report.expected import Expected
from hecn_analysis.report.headings import headings
from hecn_analysis.runs import alike

_DAMAGE: Final = (
    "Files with remarks were read as far as possible. hecn parse, hecn counters and hecn inventory list all remarks."
)
_CAUSES: Final = (
    "Probability: among these candidates, by how close the limit of each is to the measured median. Assumed limits "
    "weigh less. Candidates below 3 % are omitted."
)
_WINDOWS: Final = (
    "In flight: rate times round-trip time, per stream. Bandwidth-delay product: what fills the line. Untuned hosts: "
    "throughput of all streams between Linux hosts with default buffers. Lost or retransmitted: share of the packets, "
    "if the log counts them."
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
    "Percentiles are nearest rank over equal slots. –: not stated, or averages longer than a slot. Ports without a "
    "known rate are omitted."
)


def key_figures(folder: Folder, found: Sequence[Expected]) -> list[briefs.KeyFigure]:
    """The numbers beside the finding."""
    files = folder.sources["source_file"].nunique()
    figures = [briefs.KeyFigure("Files read", f"{files}", f"{len(folder.refused)} not recognised")]
    one = steps.leading(found)
    if one is not None:
        figures.append(
            briefs.KeyFigure(
                "Runs",
                f"{int(folder.runs['rate_bps'].notna().sum())}",
                f"{len(found)} {'kind' if len(found) == 1 else 'kinds'} shown",
            )
        )
        figures.append(briefs.KeyFigure("Median", units.format_rate(one.median_bps), one.condition))
        if one.prediction is not None:
            interval = f"{units.format_rate(one.prediction.low_bps)} to {units.format_rate(one.prediction.high_bps)}"
            figures.append(briefs.KeyFigure("Expected", units.format_rate(one.prediction.throughput_bps), interval))
    elif len(folder.counters.rates):
        figures.append(briefs.KeyFigure("Port rates", f"{len(folder.counters.rates)}"))
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
        headings("file", "why", "kind") | {"kind": "Problem"},
        caption=f"Files not read: {len(rows)}",
        footnotes="why",
    )


def groups(folder: Folder) -> None:
    """Show the kinds of runs."""
    rows = alike.groups(folder.runs)
    rows = rows[(rows["runs"] > 0) | (rows["failed"] > 0) | rows["path_rtt_s"].notna()]
    if rows.empty:
        briefs.show_text("This folder contains no tool log.")
        return
    rows = rows.assign(
        **{f"{name} value": rows[f"{name}_bps"].map(_rate) for name in ("median", "least", "most")},
        **{"resent value": rows["retransmits_per_gb"].map(lambda one: "–" if pd.isna(one) else f"{one:,.3g}")},
        **{"rtt value": rows["path_rtt_s"].map(lambda one: "–" if pd.isna(one) else units.format_time(one, digits=3))},
    )
    columns = headings(
        "condition",
        "runs",
        "failed",
        "median value",
        "least value",
        "most value",
        "rtt value",
        "resent value",
        "cpu_sender_fraction",
        "cpu_receiver_fraction",
        "tool_version",
    )
    _table(rows, _nonempty(rows, columns), caption=f"Kinds of runs: {len(folder.runs)} runs, median of each kind")


def runs(folder: Folder) -> None:
    """Show each run beside those that are alike."""
    if folder.runs["rate_bps"].notna().any():
        named = folder.runs.assign(group=folder.runs["condition"])
        briefs.show_figure(
            plot_comparison(named), caption="Each measured run and the median of its kind, for the kinds with most runs"
        )


def course(folder: Folder, found: Sequence[Expected]) -> None:
    """Show the rates over time of the runs of one kind, where their logs have them."""
    one = steps.leading(found)
    if one is None or folder.reading.intervals.empty:
        return
    fig = plot_course(folder.reading.intervals, one.runs)
    if fig.data:
        briefs.show_figure(fig, caption=f"{one.condition}: rate over time, one line per run")


def verdicts(found: Sequence[Expected]) -> None:
    """Show measured against predicted."""
    if not found:
        briefs.show_text("No run has a rate, so there is nothing to compare.")
        return
    rows = predicted.table(found)
    rows = rows.assign(
        **{"measured value": rows["measured_bps"].map(_rate), "predicted value": rows["predicted_bps"].map(_rate)},
        **{"within value": [_interval(row) for row in rows.to_dict("records")]},
    )
    columns = headings("case", "runs", "measured value", "predicted value", "within value", "verdict", "why")
    briefs.show_table(
        rows, columns, caption=f"Measured and expected throughput: {steps.summary(found)}", footnotes="why"
    )
    known = rows[rows["predicted_bps"].notna()]
    if len(known):
        caption = "Median of each kind against its prediction, with the 90 % interval of single runs and the bottleneck"
        briefs.show_figure(plot_measured_vs_predicted(known), caption=caption)


def facts(found: Sequence[Expected]) -> None:
    """Show what the predictions rest on."""
    rows = predicted.facts_table(found)
    if len(rows):
        columns = headings("name", "words", "basis", "spread", "kinds", "source")
        briefs.show_table(rows, columns, caption="Basis of the predictions, assumptions first", footnotes="source")
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
        briefs.show_text("No run has a rate, so no bottleneck can be inferred.")
        return
    rows = rows.assign(
        **{"limit value": rows["limit_bps"].map(_rate), "measured value": rows["measured_bps"].map(_rate)}
    )
    columns = headings("condition", "measured value", "name", "limit value", "probability", "evidence") | {
        "name": "Limited by"
    }
    _table(rows, columns, caption="Possible bottlenecks of the runs", note=_CAUSES, footnotes="evidence")


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
    columns = headings("condition", "rtt value", "flight value", "bdp value", "default value", "lost value")
    briefs.show_table(rows, columns, caption="TCP: windows and losses", note=_WINDOWS)


def ladder(found: Sequence[Expected]) -> None:
    """Show the ladder of the kind that was made most often, where there is more than one limit in sight."""
    one = steps.leading(found)
    if one is None or one.prediction is None or len(one.prediction.ladder) < 2:
        return
    first, second, *_ = one.prediction.ladder
    if second.throughput_bps <= _IN_SIGHT * first.throughput_bps:
        caption = f"{one.condition}: known and assumed limits, slowest first, and the measured median"
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
            "This folder contains no captured host, so the limits of slots, cores, cards and buffers are unknown."
        )
        return
    if not rows:
        checks = max(len(host.findings.unchecked) for host in folder.inventory.hosts)
        briefs.show_text(f"No check found a fault on the captured hosts; up to {checks} checks lacked output.")
        return
    frame = pd.DataFrame(rows)
    columns = headings("host", "place", "found", "expected", "limit value", "mended value", "fix")
    _table(frame, columns, caption=f"Findings on captured hosts: {len(rows)}", footnotes="fix")


def ports(folder: Folder, seen: pd.DataFrame) -> None:
    """Show how full the ports were, and the one that carried most over time."""
    if seen.empty:
        many = len(folder.counters.samples)
        words = (
            f"{many} counter readings, but no two of the same port, so there is no rate."
            if many
            else "This folder contains no port counters."
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
    own = counted.rates_of(folder, first["host"], first["interface"])
    fig = plot_traffic(own, slot_s=slot_s, speed_bps=first["speed_bps"])
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


def advice(folder: Folder, found: Sequence[Expected]) -> None:
    """Show what could be changed."""
    one = steps.leading(found)
    rows = steps.advice_table(steps.advice(folder, found))
    if rows.empty:
        why = "No known setting would raise the prediction: the line or an assumed limit is the bottleneck."
        if one is None or one.prediction is None:
            why = "No run can be predicted, so neither can any change."
        briefs.show_text(why)
        return
    rows = rows.assign(**{"rate value": rows["throughput_bps"].map(_rate)}, gain=rows["gain_fraction"].map(_gain))
    columns = headings("title", "gain", "rate value", "how", "check")
    caption = f"Free changes, predicted for {one.condition if one is not None else ''}"
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


def _nonempty(rows: pd.DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """Columns with content in at least one shown row."""
    shown = rows.head(SHOWN)
    return {name: label for name, label in columns.items() if _has_content(shown[name])}


def _has_content(column: pd.Series[Any]) -> bool:
    known = column.dropna()
    return bool((~known.astype(str).isin(["", "–", "0"])).any())


def _rate(value: float | None) -> str:
    return "–" if value is None or pd.isna(value) else units.format_rate(value)


def _bytes(value: float) -> str:
    return "–" if pd.isna(value) else units.format_bytes(value)


def _interval(row: Mapping[Any, Any]) -> str:
    return "–" if pd.isna(row["low_bps"]) else f"{_rate(row['low_bps'])} to {_rate(row['high_bps'])}"
