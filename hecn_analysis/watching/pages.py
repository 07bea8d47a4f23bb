"""Pages of a watch: a grid of all pairs of hosts, and a page for each series with its course and its changes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.natural import natural
from hecn_analysis.base.units import format_count, format_probability
from hecn_analysis.watching.measures import RATE, ROUTE
from hecn_analysis.watching.routes import shown_hop
from hecn_analysis.watching.series import TRAFFIC
from hecn_analysis.watching.status import (
    BETTER,
    DOUBTFUL,
    FULL,
    LEARNING,
    ROUTED,
    SILENT,
    SYMBOLS,
    USUAL,
    WORSE,
    Status,
)

_STYLE: Final = """\
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: light-dark(#1b1f24, #e6e9ed);
  background: light-dark(#fff, #14181d); }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { border: 1px solid light-dark(#d0d5da, #3a434d); padding: .4rem .6rem; text-align: left; vertical-align: top; }
a { color: inherit; } td a { display: block; white-space: nowrap; }
.usual { background: light-dark(#d5efe6, #0d3b2e); } .doubtful { background: light-dark(#fbeecb, #4a3a08); }
.worse, .full { background: light-dark(#f8d9c8, #5c2509); } .better { background: light-dark(#d3e8f7, #0b3553); }
.routed { background: light-dark(#e8def5, #33234d); } .silent, .learning { background: light-dark(#eceef0, #2a3138); }
figure { margin: 1rem 0; } svg { width: 100%; height: 15rem; } .ends { display: flex; justify-content: space-between; }
.muted { color: light-dark(#4d565f, #b3bcc5); } .mark { color: light-dark(#b34700, #ff9a5c); }
svg { border-bottom: 1px solid light-dark(#8a949e, #77828c); } h1 { font-size: 1.7rem; }
.state { padding: .5rem .7rem; } .legend span { white-space: nowrap; }
h1, li, p { overflow-wrap: anywhere; } li { margin: .3rem 0; }
@media (max-width: 40rem) { th { overflow-wrap: anywhere; min-width: 6rem; max-width: 8rem; } }
"""

_WORDS: Final = {
    USUAL: "as usual",
    DOUBTFUL: "last result unusual",
    WORSE: "worse",
    BETTER: "better",
    ROUTED: "other route",
    FULL: "port full",
    SILENT: "no results",
    LEARNING: "too short to judge",
}

#: Of several series of a pair the first of these gives the colour of the cell.
_WORST: Final = (WORSE, FULL, SILENT, ROUTED, DOUBTFUL, BETTER, LEARNING, USUAL)

_WIDTH, _HEIGHT, _EDGE = 900, 240, 4

#: Widths of lines and dots do not follow the width of the page.
_UNSCALED: Final = 'vector-effect="non-scaling-stroke"'

#: Points of a course that are drawn; older ones are in the archive.
_SHOWN: Final = 2000


def page_name(status: Status) -> str:
    """File name of the page of a series, the same each time."""
    key = "\n".join(status.series.key)
    return f"series-{hashlib.sha256(key.encode()).hexdigest()[:16]}.html"


def index(statuses: Sequence[Status], notes: Sequence[str]) -> str:
    """Page of all series: a grid of the pairs, and one of the ports, with a link for each series."""
    newest = max((status.last_time for status in statuses), default=None)
    about = f"{len(statuses)} series; newest result {_time(newest)}" if statuses else ""
    of_ports = [status for status in statuses if status.series.tool == TRAFFIC]
    rest = [status for status in statuses if status.series.tool != TRAFFIC]
    of_paths = [status for status in rest if status.series.measure.name != RATE.name]
    others = [status for status in rest if status.series.measure.name == RATE.name]
    parts = (
        ("", others, "from \\ to"),
        ("Delay, loss and route", of_paths, "from \\ to"),
        ("Traffic of ports", of_ports, "host"),
    )
    grids = "".join(
        (f"<h2>{heading}</h2>" if heading else "") + _grid(part, corner, heading or "Transfers")
        for heading, part, corner in parts
        if part
    )
    legend = " · ".join(f"<span>{SYMBOLS[state]} {_WORDS[state]}</span>" for state in _WORST)
    remarks = "".join(f"<li>{html_text(note)}</li>" for note in notes)
    shown = grids or "<p>No results.</p>"
    notes_list = f"<h2>Remarks</h2><ul>{remarks}</ul>" if remarks else ""
    return _page("Transfers", f'<p>{about}</p>{shown}<p class="muted legend">{legend}</p>{notes_list}')


def _grid(statuses: Sequence[Status], corner: str, label: str) -> str:
    """Table of series: sources in rows, destinations in columns."""
    rows = sorted({status.series.source for status in statuses}, key=natural)
    columns = sorted({status.series.destination for status in statuses}, key=natural)
    cells: dict[tuple[str, str], list[Status]] = {}
    for status in statuses:
        cells.setdefault((status.series.source, status.series.destination), []).append(status)
    head = "".join(f'<th scope="col">{html_text(name)}</th>' for name in columns)
    body = ""
    for row in rows:
        own = "".join(_cell(cells.get((row, name), [])) for name in columns)
        body += f'<tr><th scope="row">{html_text(row)}</th>{own}</tr>'
    table = f'<table><tr><th scope="col">{corner}</th>{head}</tr>{body}</table>'
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{table}</div>'


def _cell(statuses: Sequence[Status]) -> str:
    if not statuses:
        return "<td></td>"
    worst = min((status.state for status in statuses), key=_WORST.index)
    links = "".join(
        f'<a href="{page_name(status)}" title="{html_text(status.series.name)}: {html_text(status.says)}">'
        f"{SYMBOLS[status.state]} {_written(status, status.last)} <small>{html_text(_state_words(status))}</small></a>"
        for status in statuses
    )
    return f'<td class="{worst}">{links}</td>'


def _state_words(status: Status) -> str:
    """The state in words, and of a delay or a loss what it is."""
    measure = status.series.measure
    words = {WORSE: measure.worse, BETTER: measure.better}.get(status.state, _WORDS[status.state])
    return words if measure.name == RATE.name else f"{measure.name}, {words}"


def page(status: Status) -> str:
    """Page of a series: state, course, changes with what changed beside, last results."""
    own = status.series
    title = f"{own.source} to {own.destination}"
    changes = "".join(
        f"<li><b>{_time(pd.Timestamp(change['time']))}</b>: {_change(status, change)}"
        f"<ul>{''.join(f'<li>{html_text(reason)}</li>' for reason in change['reasons'])}</ul></li>"
        for change in reversed(status.changes)
    )
    parts = [
        '<p><a href="index.html">All pairs</a></p>',
        f"<p>{html_text(own.name)}: {format_count(len(own.runs), 'result')}, {len(own.failed)} failed</p>",
        f'<p class="state {status.state}">{SYMBOLS[status.state]} {html_text(_says(status))}</p>',
        (_route if own.measure.name == ROUTE.name else _course)(status) if len(own.runs) else "",
        f"<h2>Changes</h2><ol>{changes}</ol>" if changes else "<p>No change was found.</p>",
    ]
    return _page(title, "".join(parts))


def _says(status: Status) -> str:
    """The state in words; reasons of a change stand in the list of changes."""
    return status.says.partition("; ")[0] if status.changes else status.says


def _change(status: Status, change: dict[str, Any]) -> str:
    seen = format_count(change["results_until_seen"], "result")
    if "confidence" not in change:
        return f"{html_text(status.series.measure.moved(change))}, seen after {seen}"
    confidence = format_probability(change["confidence"], places=3)
    return html_text(f"{status.series.measure.moved(change)}, confidence {confidence}, seen after {seen}")


def _route(status: Status) -> str:
    """The hops of the last trace, beside those before the last change."""
    columns = {"last trace": str(status.series.runs["route"].iloc[-1]).split()}
    if status.changes:
        columns = {"before the last change": str(status.changes[-1]["before_route"]).split(), **columns}
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = ""
    for place in range(max(map(len, columns.values()))):
        cells = [hops[place] if place < len(hops) else "" for hops in columns.values()]
        texts = "".join(f"<td>{html_text(shown_hop(cell))}</td>" for cell in cells)
        body += f'<tr><th scope="row">{place + 1}</th>{texts}</tr>'
    table = f'<table><tr><th scope="col">hop</th>{head}</tr>{body}</table>'
    return f'<div class="wide" tabindex="0" role="region" aria-label="Route">{table}</div>'


def _course(status: Status) -> str:
    """The figure over time as SVG, with the expected range and the changes."""
    runs = status.series.runs.tail(_SHOWN)
    times = runs["start_time"].dt.as_unit("ns").astype("int64").to_numpy() / 1e9
    measure = status.series.measure
    values = runs[measure.column].to_numpy(dtype=float)
    top = 1.05 * max(float(values.max()), status.expected_high or 0.0) or 1.0
    span = max(float(np.ptp(times)), 1.0)
    x = _EDGE + (times - times[0]) / span * (_WIDTH - 2 * _EDGE)
    y = _HEIGHT - _EDGE - values / top * (_HEIGHT - 2 * _EDGE)
    points = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x, y, strict=True))
    dots = f'<path d="{points}" stroke="currentColor" stroke-width="4" stroke-linecap="round" {_UNSCALED}/>'
    marks = ""
    for change in status.changes:
        at = _EDGE + (pd.Timestamp(change["time"]).timestamp() - times[0]) / span * (_WIDTH - 2 * _EDGE)
        if at >= _EDGE:
            marks += f'<path d="M{at:.1f} 0V{_HEIGHT}" class="mark" stroke="currentColor" {_UNSCALED}/>'
    band = ""
    if status.expected_low is not None and status.expected_high is not None:
        upper, lower = (
            _HEIGHT - _EDGE - value / top * (_HEIGHT - 2 * _EDGE)
            for value in (status.expected_high, status.expected_low)
        )
        size = f'width="{_WIDTH - 2 * _EDGE}" height="{max(lower - upper, 1.0):.1f}"'
        band = f'<rect x="{_EDGE}" y="{upper:.1f}" {size} fill="#0072b2" opacity=".18"/>'
    first, last = _time(runs["start_time"].iloc[0]), _time(runs["start_time"].iloc[-1])
    most = _written(status, float(values.max()))
    words = (
        f"{measure.name.capitalize()} from {first} to {last}, at most {most}; scale from 0 to {_written(status, top)}"
    )
    words += "; band: nine usual results in ten" if band else ""
    words += "; lines: changes" if marks else ""
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{words}"'
    drawn = f'<svg {box} fill="currentColor">{band}{marks}{dots}</svg>'
    ends = f'<div class="ends muted"><span>{first}</span><span>{last}</span></div>'
    return (
        f'<figure><div class="muted">{_written(status, top)}</div>{drawn}{ends}'
        f'<figcaption class="muted">{words}</figcaption></figure>'
    )


def _page(title: str, body: str) -> str:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html_text(title)}</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head>'
        f"<body><main><h1>{html_text(title)}</h1>{body}</main></body></html>\n"
    )


def _written(status: Status, value: float | None) -> str:
    return "–" if value is None else status.series.measure.write(value)


def _time(time: pd.Timestamp | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"
