"""The index page of a folder of briefs, made from the result JSON of each: title, finding, small picture, links."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hecn_analysis.base.natural import natural
from hecn_analysis.briefs.catalogue import subject_of
from hecn_analysis.briefs.html import environment, template_text
from hecn_analysis.files import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

KIND, FORM = "hecn-brief", 2  # of a brief's JSON
INDEX = "index.html"  # over all briefs of a folder
LINKS = {"html": "HTML", "pdf": "PDF", "notebook": "Notebook", "json": "JSON"}
MOST_ROWS, ROW, WIDTH, EDGE = 10, 11, 220, 6  # of the small picture [px]


def write_index(folder: Path) -> Path:
    """Write ``index.html`` for all briefs in a folder, including earlier ones: by subject, then by notebook."""
    unsorted = [result for path in folder.glob("*.json") if (result := read_result(path)) is not None]
    results = [
        _entry(result) for result in sorted(unsorted, key=lambda result: (result["source"], natural(result["name"])))
    ]
    script = template_text("search.js")
    page = (
        environment()
        .get_template("index.html.j2")
        .render(
            subjects=[
                (subject, list(same))
                for subject, same in itertools.groupby(results, lambda result: subject_of(result["source"]))
            ],
            count=len(results),
            failed=[result for result in results if result["error"]],
            scripts=[Markup(script)],  # noqa: S704  (our own file)
        )
    )
    index = folder / INDEX
    whole.write(index, page)
    return index


def _entry(result: Mapping[str, Any]) -> dict[str, Any]:
    """A brief for the index, with a picture: its main figure if one was drawn, else a sketch of its cases."""
    numbers = result["numbers"]
    return {
        **result,
        "links": {label: name for file_kind, label in LINKS.items() if (name := result["files"].get(file_kind))},
        "sketch": "" if result["thumbnail"] else _picture(numbers["cases"]),
        "holds": ", ".join(
            f"{len(numbers[kind])} {kind if len(numbers[kind]) != 1 else kind[:-1]}"
            for kind in ("figures", "tables")
            if numbers[kind]
        ),
    }


def _picture(cases: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw a small picture of the first cases: a bar for the interval, a dot in it, a diamond for the measurement."""
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
    description = f"Measured (diamond) and predicted (dot with interval) throughput of {len(rows)} cases"
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    body = "".join(marks)
    return Markup(f'<svg {size} role="img" aria-label="{description}">{body}</svg>')  # noqa: S704  (numbers only)


def read_result(path: Path) -> dict[str, Any] | None:
    """Contents of a brief's JSON; None for any other file or another version of the JSON."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and (result.get("kind"), result.get("form")) == (KIND, FORM) else None
