"""The index page of a folder of briefs, made from the result JSON of each: title, finding, small picture, links."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hecn_analysis.briefs.html import environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

KIND = "hecn-brief"
MOST_ROWS, ROW, WIDTH, EDGE = 10, 11, 220, 6  # of the small picture [px]


def write_index(folder: Path) -> Path:
    """Write ``index.html`` for all briefs in a folder, those of earlier runs too, sorted by name.

    Parameters
    ----------
    folder
        Holds the briefs' ``.json`` files.
    """
    results = [result for path in sorted(folder.glob("*.json")) if (result := _result(path)) is not None]
    page = (
        environment()
        .get_template("index.html.j2")
        .render(briefs=[{**result, "picture": picture(result["numbers"]["cases"])} for result in results])
    )
    index = folder / "index.html"
    index.write_text(page, encoding="utf-8")
    return index


def picture(cases: Sequence[Mapping[str, Any]]) -> Markup:
    """Give a small drawing of the first cases: a bar for each interval, a dot in it, a diamond for the measured value.

    Parameters
    ----------
    cases
        Rows of the finding's comparison; those without a prediction are left out.
    """
    rows = [case for case in cases if case.get("predicted_bps")][:MOST_ROWS]
    if not rows:
        return Markup("")
    names = ("measured_bps", "predicted_bps", "high_bps")
    largest = max(float(case[name]) for case in rows for name in names if case.get(name))
    height = ROW * len(rows) + 2 * EDGE

    def x(value: object) -> str:
        return f"{EDGE + (WIDTH - 2 * EDGE) * float(value) / largest:.1f}"  # type: ignore[arg-type]

    marks = []
    for number, case in enumerate(rows):
        y = EDGE + ROW * (number + 0.5)
        low, high = case.get("low_bps") or case["predicted_bps"], case.get("high_bps") or case["predicted_bps"]
        marks.append(f'<path d="M{x(0)} {y}H{x(largest)}" stroke="var(--line)"/>')
        marks.append(f'<path d="M{x(low)} {y}H{x(high)}" stroke="#56b4e9" stroke-width="4"/>')
        middle = x(case["predicted_bps"])
        marks.append(f'<circle cx="{middle}" cy="{y}" r="3.2" fill="var(--accent)"/>')
        if case.get("measured_bps"):
            diamond = f"M{x(case['measured_bps'])} {y - 4}l4 4l-4 4l-4-4z"
            marks.append(f'<path d="{diamond}" fill="var(--ink)" stroke="var(--paper)" stroke-width=".7"/>')
    what = f"Measured (diamond) and predicted (dot with interval) throughput of {len(rows)} cases"
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    body = "".join(marks)
    return Markup(f'<svg {size} role="img" aria-label="{what}">{body}</svg>')  # noqa: S704  (numbers only)


def _result(path: Path) -> dict[str, Any] | None:
    """Give the content of a brief's JSON; None for any other file."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and result.get("kind") == KIND else None
