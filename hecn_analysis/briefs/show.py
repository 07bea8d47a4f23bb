"""Output of notebooks, in a form that a brief can use as well.

Each ``show_…`` displays one thing in up to four representations: plain text (readable in a
diff), HTML (for Jupyter), Plotly's own (figures), and `MIME`, the same as data, from which the brief's page
(`hecn_analysis.briefs.html`) and its JSON are made. All text may come from logs and is escaped.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import IPython.display
import pandas as pd

from hecn_analysis.base import places, units
from hecn_analysis.base.html_text import html_text
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
FORMATS: dict[str, Callable[[float], str]] = {
    "bit/s": units.format_rate,
    "B": units.format_bytes,
    "s": units.format_time,
}
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
READING = {"where": "File", "tool": "Tools", "runs": "Runs read", "refused": "Problems"}
ASSUMPTIONS = {
    "end": "Of",
    "name": "Parameter",
    "value": "Value",
    "spread_fraction": "Spread ±",
    "basis": "Basis",
    "source": "Source",
}


class KeyFigure(NamedTuple):
    """One number of a finding: its label, the number with its unit, and a note below it."""

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
    """Show the answer; a brief puts it on top, the index page beside the brief's name."""
    key_figures = list(figures)
    plain = "\n".join(
        [
            sentence,
            *(f"  {figure.label}: {figure.value}{figure.note and f' ({figure.note})'}" for figure in key_figures),
        ]
    )
    tiles = "".join(
        f"<li>{html_text(figure.label)}: <b>{html_text(figure.value)}</b>"
        f"{html_text(figure.note and f' ({figure.note})')}</li>"
        for figure in key_figures
    )
    data = {
        "kind": "finding",
        "sentence": sentence,
        "figures": [figure._asdict() for figure in key_figures],
        "cases": [] if cases is None else cells.records(cases),
        "verdicts": [cells.plain(figure) for figure in verdicts],
    }
    _show(plain, f"<p><b>{html_text(sentence)}</b></p><ul>{tiles}</ul>", data)


def show_text(sentence: str) -> None:
    """Show a computed sentence."""
    _show(sentence, f"<p>{html_text(sentence)}</p>", {"kind": "text", "text": sentence})


def show_table(
    frame: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    caption: str,
    note: str = "",
    footnotes: str | None = None,
    group: str | None = None,
) -> None:
    """Show a whole table, without truncation."""
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
    """Show what was read: for each file its tools, the number of runs, and the number of problems."""
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
    counts = f"{units.format_count(len(runs), 'run')}, {units.format_count(len(problems), 'problem')}"
    caption = f"What was read from {many}: {counts}"
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
    """Show a prediction's ladder: each limit with the throughput that it allows once all slower ones are lifted."""
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
    """Shorten the times of a figure by what Plotly assumes: zeros and UTC."""
    return TIME.sub(lambda time: f'"{time["day"]}{time["clock"] or ""}"', spec)


def show_assumptions(predictions: Iterable[Prediction]) -> None:
    """Show the assumptions of predictions beyond data sheets: value, spread, basis, and the source as a footnote."""
    shared: dict[tuple[str, float, str], list[Assumption]] = {}
    for prediction in predictions:
        for assumption in prediction.assumptions:
            shared.setdefault((assumption.name.rpartition(".")[2], assumption.value, assumption.source), []).append(
                assumption
            )
    rows = pd.DataFrame([_assumption(group) for group in shared.values()], columns=list(ASSUMPTIONS))
    uncertain = rows[rows["basis"] != "specification"].sort_values(["end", "name"], kind="stable")
    note = f"{len(rows) - len(uncertain)} further parameters are taken unchanged from data sheets and slides."
    caption = "What the predictions assume, beyond data sheets"
    show_table(uncertain, ASSUMPTIONS, caption=caption, note=note, footnotes="source")


def show_provenance(comparison: pd.DataFrame) -> None:
    """Show the source of each measured number, and the versions used."""
    rows = comparison[comparison["measured_bps"].notna()]
    rows = rows.assign(where=[where(row) for row in rows.to_dict("records")])
    caption = "Place of each measured number; files are below data/"
    show_table(rows, PROVENANCE, caption=caption, footnotes="document", group="series_title")
    show_versions()


def show_versions() -> None:
    """Show the versions used."""
    versions = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    data = {"kind": "versions", "versions": versions}
    _show(f"Computed with {listed}.", f"<p>Computed with {html_text(listed)}.</p>", data)


def below_data(file: str) -> str:
    """Name of a file relative to the shipped data; any other name unchanged.

    Parameters
    ----------
    file
        Name of a file.

    Returns
    -------
    str
        The name, shortened if possible.

    Examples
    --------
    >>> below_data(str(places.data_dir() / "logs" / "b.txt")), below_data("/tmp/b.txt")
    ('logs/b.txt', '/tmp/b.txt')
    """
    path = Path(file)
    return str(path.relative_to(places.data_dir())) if path.is_relative_to(places.data_dir()) else file


def where(row: Mapping[Any, Any]) -> str:
    """File and lines of a row; without lines if they are unknown."""
    file, first, last = below_data(str(row["source_file"])), row["line_first"], row["line_last"]
    if pd.isna(first):
        return file
    return f"{file}:{first}" + ("" if pd.isna(last) or last == first else f"–{last}")


def _marks(row: Mapping[Any, Any]) -> str:
    outside = not pd.isna(row["measured_bps"]) and not row["inside"]
    return ("† " if outside else "") + ("≥ " if row["measured_low_bound"] else "")


def _assumption(group: list[Assumption]) -> dict[str, Any]:
    """One row for assumptions that differ only in their host or part."""
    split = [assumption.name.split(".") for assumption in group]
    ends = [role for role in ROLES if any(parts[0] == role for parts in split)]
    names = [parts[1:] if parts[0] in ROLES else parts for parts in split]
    is_mergeable = len({len(parts) for parts in names}) == 1
    merged = (
        [part[0] if len(set(part)) == 1 else "*" for part in zip(*names, strict=True)] if is_mergeable else names[0]
    )
    return {
        "end": " and ".join(ends) or merged[0],
        "name": ".".join(merged if ends else merged[1:]),
        "value": _quantity(group[0].value, group[0].unit),
        "spread_fraction": group[0].spread,
        "basis": group[0].basis,
        "source": group[0].source,
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
