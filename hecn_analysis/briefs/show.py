"""What a notebook shows to people, in a form that a brief can use too.

Each ``show_…`` displays one thing with up to four representations: plain text (kept in the stored notebook, readable
in a diff), HTML (what Jupyter shows), Plotly's own (figures), and `MIME`, the same as data, from which
`hecn_analysis.briefs.html` lays out the brief and the brief's JSON is made. All text may come from logs and is escaped.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import IPython.display
import pandas as pd

from hecn_analysis.base import places, units
from hecn_analysis.briefs import cells
from hecn_analysis.figures import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hecn_analysis.logs import Reading
    from hecn_analysis.prediction import Assumption, Prediction

MIME = "application/vnd.hecn.brief.v1+json"
PLOTLY_MIME = "application/vnd.plotly.v1+json"
PACKAGES = ("hecn-analysis", "numpy", "pandas", "plotly", "scipy")
TIME = re.compile(
    r'"(?P<day>\d{4}-\d\d-\d\d)(?:T00:00:00|(?P<clock>T\d\d:\d\d:\d\d(?:\.\d*[1-9])?))\.?0*(?:\+00:00|Z)?"'
)
ROLES = ("sender", "receiver")
FORMATS = {"bit/s": units.format_rate, "B": units.format_bytes, "s": units.format_time}
PREFIXES = {"Hz": (1e9, "GHz"), "T/s": (1e9, "GT/s")}

COMPARISON = {
    "title": "Case",
    "measured": "Measured",
    "predicted_bps": "Predicted",
    "interval": "90 % interval",
    "error": "Error",
    "binds": "What binds",
    "stated_limit": "Stated limit",
}
COMPARISON_NOTE = (
    "Error: predicted / measured − 1. †: the measured value lies outside the interval. ≥: the document gives a lower "
    "bound, so no error is defined. –: not measured, or not stated. Stated limit: the class of limit that the document "
    "names. In-sample: what the assumptions call calibrated was fitted to some of these runs; the errors say how well "
    "one set of costs fits them all, not how well another host would be predicted."
)
LADDER = {
    "title": "Limit",
    "resource": "Resource",
    "throughput_bps": "Allows",
    "utilisation_fraction": "Busy now",
    "probability": "Binds first",
}
LADDER_NOTE = (
    "Allows: throughput when every limit above it is lifted. "
    "Binds first: share of the draws of the uncertain parameters in which this limit is the lowest."
)
PROVENANCE = {
    "title": "Case",
    "measured_bps": "Measured",
    "where": "File and line",
    "place": "Place in the document",
    "document": "Document",
}
READING = {"where": "File", "tool": "Tools", "runs": "Runs read", "refused": "Lines refused"}
ASSUMPTIONS = {
    "end": "Of",
    "name": "Parameter",
    "value": "Value",
    "spread_fraction": "Spread ±",
    "basis": "Basis",
    "source": "Source",
}


class KeyFigure(NamedTuple):
    """One number of a finding: what it is, the number with its unit, and a few words below it."""

    label: str
    value: str
    note: str = ""


def show_finding(
    sentence: str,
    figures: Iterable[KeyFigure] = (),
    *,
    cases: pd.DataFrame | None = None,
    verdicts: Iterable[Mapping[str, Any]] = (),
) -> None:
    r"""Show the answer. A brief puts it on top, and the index page beside the brief's name."""
    listed = list(figures)
    plain = "\n".join([sentence, *(f"  {one.label}: {one.value}{one.note and f' ({one.note})'}" for one in listed)])
    tiles = "".join(
        f"<li>{cells.escape(one.label)}: <b>{cells.escape(one.value)}</b> {cells.escape(one.note)}</li>"
        for one in listed
    )
    data = {
        "kind": "finding",
        "sentence": sentence,
        "figures": [one._asdict() for one in listed],
        "cases": [] if cases is None else cells.records(cases),
        "verdicts": [cells.plain(one) for one in verdicts],
    }
    _show(plain, f"<p><b>{cells.escape(sentence)}</b></p><ul>{tiles}</ul>", data)


def show_text(sentence: str) -> None:
    """Show a sentence that was computed."""
    _show(sentence, f"<p>{cells.escape(sentence)}</p>", {"kind": "text", "text": sentence})


def show_table(
    frame: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    caption: str,
    note: str = "",
    footnotes: str | None = None,
    group: str | None = None,
) -> None:
    r"""Show a whole table; nothing is cut."""
    headings = {str(name): str(name) for name in frame.columns} if columns is None else dict(columns)
    rates = cells.rate_format(frame, headings)
    formats = {name: cells.format_of(name, frame[name], rates) for name in headings}
    described = [
        {"name": name, "label": label, "unit": formats[name].unit, "numeric": formats[name].numeric}
        for name, label in headings.items()
    ]
    rows = frame.to_dict("records")
    texts = [[formats[name].text(row[name]) for name in headings] for row in rows]
    data = {
        "kind": "table",
        "caption": caption,
        "note": note,
        "footnotes": footnotes,
        "groups": [""] * len(rows) if group is None else theme.group_starts([str(row[group]) for row in rows]),
        "columns": described,
        "cells": texts,
        "records": cells.records(frame),
    }
    plain = cells.plain_table(caption, described, texts, note)
    _show(plain, cells.html_table(caption, described, texts, note), data)


def show_reading(reading: Reading) -> None:
    """Show what was read: for each file its tools, the number of runs, and the number of lines that were refused."""
    runs, problems = reading.runs, reading.problems
    files = sorted({*runs["source_file"], *problems["source_file"]})
    rows = pd.DataFrame(
        {
            "where": [below_data(file) for file in files],
            "tool": [", ".join(sorted(set(runs["tool"][runs["source_file"] == file]))) for file in files],
            "runs": [int((runs["source_file"] == file).sum()) for file in files],
            "refused": [int((problems["source_file"] == file).sum()) for file in files],
        }
    )
    many = f"{len(files)} files" if len(files) != 1 else "one file"
    caption = f"What was read from {many}: {len(runs)} runs, {len(problems)} lines refused"
    show_table(rows, READING, caption=caption)


def show_comparison(comparison: pd.DataFrame, *, caption: str = "Measured against predicted throughput") -> None:
    """Show measured against predicted, with the interval, the error and what binds."""
    records = comparison.to_dict("records")
    rate = cells.rate_format(comparison, ["predicted_bps"]).text
    rows = comparison.assign(
        measured=[_marks(row) + rate(row["measured_bps"]) for row in records],
        interval=[f"{rate(row['low_bps'])} – {rate(row['high_bps'])}" for row in records],
        error=comparison["error"].mask(comparison["measured_low_bound"].astype("boolean").fillna(False).astype(bool)),  # noqa: FBT003
        binds=[str(row["bottleneck_title"]).partition(" (")[0] for row in records],
    )
    show_table(rows, COMPARISON, caption=caption, note=COMPARISON_NOTE, group="series_title")


def show_ladder(prediction: Prediction, *, caption: str | None = None) -> None:
    """Show a prediction's ladder: each limit with the throughput that it allows when every slower one is lifted."""
    rows = prediction.to_frame().rename(columns={"utilisation": "utilisation_fraction"})
    show_table(rows, LADDER, caption=caption or str(prediction), note=LADDER_NOTE)


def show_figure(fig: go.Figure, *, caption: str) -> None:
    """Show a Plotly figure; the stored notebook keeps its caption only."""
    spec = json.loads(_short_times(fig.to_json()))
    _display(
        {PLOTLY_MIME: spec, "text/plain": f"[figure] {caption}"},
        {PLOTLY_MIME: {"hecn": {"caption": caption}}},
    )


def _short_times(spec: str) -> str:
    """Write the times of a figure without what Plotly takes for granted: zeros, and UTC."""
    return TIME.sub(lambda time: f'"{time["day"]}{time["clock"] or ""}"', spec)


def show_assumptions(predictions: Iterable[Prediction]) -> None:
    """Show what the predictions rest on beyond data sheets: value, spread, basis, and the source as a footnote."""
    shared: dict[tuple[str, float, str], list[Assumption]] = {}
    for prediction in predictions:
        for one in prediction.assumptions:
            shared.setdefault((one.name.rpartition(".")[2], one.value, one.source), []).append(one)
    rows = pd.DataFrame([_assumption(same) for same in shared.values()], columns=list(ASSUMPTIONS))
    own = rows[rows["basis"] != "specification"].sort_values(["end", "name"], kind="stable")
    note = f"{len(rows) - len(own)} further parameters are taken from data sheets and slides as they stand."
    caption = "What the predictions assume, beyond data sheets"
    show_table(own, ASSUMPTIONS, caption=caption, note=note, footnotes="source")


def show_provenance(comparison: pd.DataFrame) -> None:
    """Show where each measured number stands, and with which versions this was computed."""
    rows = comparison[comparison["measured_bps"].notna()]
    rows = rows.assign(where=[where(row) for row in rows.to_dict("records")])
    caption = "Where each measured number stands; files are below data/"
    show_table(rows, PROVENANCE, caption=caption, footnotes="document", group="series_title")
    show_versions()


def show_versions() -> None:
    """Show with which versions this was computed."""
    versions = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    data = {"kind": "versions", "versions": versions}
    _show(f"Computed with {listed}.", f"<p>Computed with {cells.escape(listed)}.</p>", data)


def below_data(file: str) -> str:
    """Give the name of a file below the shipped data; any other as it is.

    Parameters
    ----------
    file
        Name of a file.

    Returns
    -------
    str
        The name, shorter where it can be.

    Examples
    --------
    >>> below_data(str(places.data_dir() / "logs" / "b.txt")), below_data("/tmp/b.txt")
    ('logs/b.txt', '/tmp/b.txt')
    """
    path = Path(file)
    return str(path.relative_to(places.data_dir())) if path.is_relative_to(places.data_dir()) else file


def where(row: Mapping[Any, Any]) -> str:
    """Give file and lines of a row; no lines where they are not known."""
    file, first, last = below_data(str(row["source_file"])), row["line_first"], row["line_last"]
    if pd.isna(first):
        return file
    return f"{file}:{first}" + ("" if pd.isna(last) or last == first else f"–{last}")


def _marks(row: Mapping[Any, Any]) -> str:
    outside = not pd.isna(row["measured_bps"]) and not row["inside"]
    return ("† " if outside else "") + ("≥ " if row["measured_low_bound"] else "")


def _assumption(same: list[Assumption]) -> dict[str, Any]:
    """One row for assumptions that differ only in the host or the part that they are about."""
    split = [one.name.split(".") for one in same]
    ends = [role for role in ROLES if any(parts[0] == role for parts in split)]
    names = [parts[1:] if parts[0] in ROLES else parts for parts in split]
    alike = len({len(parts) for parts in names}) == 1
    merged = [part[0] if len(set(part)) == 1 else "*" for part in zip(*names, strict=True)] if alike else names[0]
    return {
        "end": " and ".join(ends) or merged[0],
        "name": ".".join(merged if ends else merged[1:]),
        "value": _quantity(same[0].value, same[0].unit),
        "spread_fraction": same[0].spread,
        "basis": same[0].basis,
        "source": same[0].source,
    }


def _quantity(value: float, unit: str) -> str:
    if unit in FORMATS:
        return FORMATS[unit](value)
    scale, name = PREFIXES.get(unit, (1.0, unit))
    return f"{value / scale:.4g} {name}".strip()


def _show(plain: str, rich: str, data: dict[str, Any]) -> None:
    _display({MIME: data, "text/html": rich, "text/plain": plain}, {})


def _display(representations: dict[str, Any], metadata: dict[str, Any]) -> None:
    IPython.display.display(representations, raw=True, metadata=metadata)  # type: ignore[no-untyped-call]
