"""Pages of a watch: a grid of all pairs of hosts, and a page for each series with its course and its changes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.natural import natural
from hecn_analysis.base.units import format_count, format_percent, format_rate
from hecn_analysis.watching.series import TRAFFIC
from hecn_analysis.watching.status import FASTER, LEARNING, LOW, SILENT, SLOWER, SYMBOLS, USUAL, Status

_STYLE: Final = """\
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: light-dark(#1b1f24, #e6e9ed);
  background: light-dark(#fff, #14181d); }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { border: 1px solid light-dark(#d0d5da, #3a434d); padding: .4rem .6rem; text-align: left; vertical-align: top; }
a { color: inherit; } td a { display: block; white-space: nowrap; }
.usual { background: light-dark(#d5efe6, #0d3b2e); } .low { background: light-dark(#fbeecb, #4a3a08); }
.slower { background: light-dark(#f8d9c8, #5c2509); } .faster { background: light-dark(#d3e8f7, #0b3553); }
.silent, .learning { background: light-dark(#eceef0, #2a3138); }
figure { margin: 1rem 0; } svg { width: 100%; height: 15rem; } .ends { display: flex; justify-content: space-between; }
.muted { color: light-dark(#4d565f, #b3bcc5); } .mark { color: light-dark(#b34700, #ff9a5c); }
li { margin: .3rem 0; overflow-wrap: anywhere; }
"""

_WORDS: Final = {
    USUAL: "as usual",
    LOW: "last result low",
    SLOWER: "slower",
    FASTER: "faster",
    SILENT: "no results",
    LEARNING: "too short to judge",
}

#: Of several series of a pair the first of these gives the colour of the cell.
_WORST: Final = (SLOWER, SILENT, LOW, FASTER, LEARNING, USUAL)

_WIDTH, _HEIGHT, _EDGE = 900, 240, 4

#: Widths of lines and dots do not follow the width of the page.
_UNSCALED: Final = 'vector-effect="non-scaling-stroke"'

#: Points of a course that are drawn; older ones are in the archive.
_SHOWN: Final = 2000


def page_name(status: Status) -> str:
    """File name of the page of a series, the same each time."""
    own = status.series
    key = "\n".join([own.source, own.destination, own.tool, own.protocol, own.direction, str(own.streams)])
    return f"series-{hashlib.sha256(key.encode()).hexdigest()[:16]}.html"


def index(statuses: Sequence[Status], notes: Sequence[str]) -> str:
    """Page of all series: a grid of the pairs, and one of the ports, with a link for each series."""
    newest = max((status.last_time for status in statuses), default=None)
    about = f"{len(statuses)} series; newest result {_time(newest)}" if statuses else ""
    ports = [status for status in statuses if status.series.tool == TRAFFIC]
    grids = _grid([status for status in statuses if status.series.tool != TRAFFIC], "from \\ to")
    if ports:
        grids += f"<h2>Traffic of ports</h2>{_grid(ports, 'host')}"
    legend = " · ".join(f"{SYMBOLS[state]} {_WORDS[state]}" for state in _WORST)
    remarks = "".join(f"<li>{html_text(note)}</li>" for note in notes)
    shown = grids or "<p>No results.</p>"
    notes_list = f"<h2>Remarks</h2><ul>{remarks}</ul>" if remarks else ""
    return _page("Transfers", f'<p>{about}</p>{shown}<p class="muted">{legend}</p>{notes_list}')


def _grid(statuses: Sequence[Status], corner: str) -> str:
    """Table of series: sources in rows, destinations in columns; nothing without any."""
    if not statuses:
        return ""
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
    return f'<div class="wide" tabindex="0" role="region" aria-label="{html_text(corner)}">{table}</div>'


def _cell(statuses: Sequence[Status]) -> str:
    if not statuses:
        return "<td></td>"
    worst = min((status.state for status in statuses), key=_WORST.index)
    links = "".join(
        f'<a href="{page_name(status)}" title="{html_text(status.series.name)}: {html_text(status.says)}">'
        f"{SYMBOLS[status.state]} {_rate(status.last_bps)} <small>{html_text(_WORDS[status.state])}</small></a>"
        for status in statuses
    )
    return f'<td class="{worst}">{links}</td>'


def page(status: Status) -> str:
    """Page of a series: state, course, changes with what changed beside, last results."""
    own = status.series
    title = f"{own.source} to {own.destination}"
    changes = "".join(
        f"<li><b>{_time(pd.Timestamp(change['time']))}</b>: {_moved(change)}"
        f"<ul>{''.join(f'<li>{html_text(reason)}</li>' for reason in change['reasons'])}</ul></li>"
        for change in reversed(status.changes)
    )
    parts = [
        '<p><a href="index.html">All pairs</a></p>',
        f"<p>{html_text(own.name)}: {format_count(len(own.runs), 'result')}, {len(own.failed)} failed</p>",
        f'<p class="{status.state}">{SYMBOLS[status.state]} {html_text(status.says)}</p>',
        _course(status) if len(own.runs) else "",
        f"<h2>Changes</h2><ol>{changes}</ol>" if changes else "<p>No change was found.</p>",
    ]
    return _page(title, "".join(parts))


def _moved(change: dict[str, Any]) -> str:
    moved, low, high = (f"{100 * (change[name] - 1):+.0f} %" for name in ("ratio", "ratio_low", "ratio_high"))
    seen = format_count(change["results_until_seen"], "result")
    confidence = format_percent(change["confidence"], places=3)
    return f"{moved} (90 %: {low} to {high}), confidence {confidence}, seen after {seen}"


def _course(status: Status) -> str:
    """The rates over time as SVG, with the expected range and the changes."""
    runs = status.series.runs.tail(_SHOWN)
    times = runs["start_time"].astype("int64").to_numpy() / 1e9
    rates = runs["rate_bps"].to_numpy(dtype=float)
    top = 1.05 * max(float(rates.max()), status.expected_high_bps or 0.0)
    span = max(float(np.ptp(times)), 1.0)
    x = _EDGE + (times - times[0]) / span * (_WIDTH - 2 * _EDGE)
    y = _HEIGHT - _EDGE - rates / top * (_HEIGHT - 2 * _EDGE)
    points = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x, y, strict=True))
    dots = f'<path d="{points}" stroke="currentColor" stroke-width="4" stroke-linecap="round" {_UNSCALED}/>'
    marks = ""
    for change in status.changes:
        at = _EDGE + (pd.Timestamp(change["time"]).timestamp() - times[0]) / span * (_WIDTH - 2 * _EDGE)
        if at >= _EDGE:
            marks += f'<path d="M{at:.1f} 0V{_HEIGHT}" class="mark" stroke="currentColor" {_UNSCALED}/>'
    band = ""
    if status.expected_low_bps is not None and status.expected_high_bps is not None:
        upper, lower = (
            _HEIGHT - _EDGE - rate / top * (_HEIGHT - 2 * _EDGE)
            for rate in (status.expected_high_bps, status.expected_low_bps)
        )
        size = f'width="{_WIDTH - 2 * _EDGE}" height="{max(lower - upper, 1.0):.1f}"'
        band = f'<rect x="{_EDGE}" y="{upper:.1f}" {size} fill="#0072b2" opacity=".18"/>'
    first, last = _time(runs["start_time"].iloc[0]), _time(runs["start_time"].iloc[-1])
    words = f"Rates from {first} to {last}, the largest {_rate(float(rates.max()))}; scale from 0 to {_rate(top)}"
    words += "; band: nine usual results in ten" if band else ""
    words += "; lines: changes" if marks else ""
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{words}"'
    drawn = f'<svg {box} fill="currentColor">{band}{marks}{dots}</svg>'
    ends = f'<div class="ends muted"><span>{first}</span><span>{last}</span></div>'
    return (
        f'<figure><div class="muted">{_rate(top)}</div>{drawn}{ends}'
        f'<figcaption class="muted">{words}</figcaption></figure>'
    )


def _page(title: str, body: str) -> str:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html_text(title)}</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head>'
        f"<body><main><h1>{html_text(title)}</h1>{body}</main></body></html>\n"
    )


def _rate(rate_bps: float | None) -> str:
    return "–" if rate_bps is None else format_rate(rate_bps)


def _time(time: pd.Timestamp | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"
