"""The output of ``hecn``: text for people, JSON or CSV for programs; to stdout or into a file.

JSON and CSV carry SI numbers in full precision under the column names of the tables, and times as ISO 8601. A missing
value is null in JSON and an empty cell in CSV. Infinity (no limit) is null in JSON, which cannot express it, and inf in
CSV. In text, each number carries its unit, and its name does not. Words from files are made harmless: for terminals in
text, for spreadsheets in CSV; JSON keeps them unchanged.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.base import units
from hecn_analysis.base.bidi import printable
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.records import csv_rows as csv_rows  # noqa: PLC0414 (handed on to the commands)
from hecn_analysis.base.records import plain
from hecn_analysis.base.records import records as records  # noqa: PLC0414 (the same)
from hecn_analysis.cli.parser import FigureFile, OutputFile, OutputFolder
from hecn_analysis.files import whole

if TYPE_CHECKING:
    import plotly.graph_objects as go

Row = Mapping[str, object]

#: Endings of pictures, and of pages; a name without an ending is a page.
PICTURES = ("png", "svg")
_PAGES: Final = ("", "html", "htm")

# Ending of a name -> format of its values for people, with the given significant digits. The first match applies.
_HUMAN: Mapping[str, Callable[[float, int], str]] = {
    "_per_s": lambda value, digits: f"{value:,.{max(0, digits - 6)}f} /s",
    "_bps": lambda value, digits: units.format_rate(value, digits=digits),
    "bytes": lambda value, digits: units.format_bytes(value, digits=digits),
    "_fraction": lambda value, digits: units.format_fraction(value, digits=digits),
    "overhead": lambda value, digits: units.format_fraction(value, digits=digits),
    "_s": lambda value, digits: units.format_time(value, digits=digits),
    "probability": lambda value, _: units.format_probability(value),
    "gain": lambda value, _: units.format_change(value, places=1),
    **{
        name: lambda value, digits: units.format_fraction(value, digits=digits) for name in ("mdape", "p90", "coverage")
    },
}
_UNITS = ("_per_s", "_bps", "_bytes", "_s", "_fraction")


def json_object(value: object) -> Iterator[str]:
    """One object, or a list of nested ones, indented."""
    yield json.dumps(_finite(plain(value)), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


_ROW_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def json_rows(rows: Iterable[Row]) -> Iterator[str]:
    """List of row objects, one per line, so that head, grep and diff work on it."""
    start = "[\n"
    for row in rows:
        try:
            text = _ROW_ENCODER.encode(row)
        except (TypeError, ValueError):  # a value that JSON cannot express
            text = _ROW_ENCODER.encode(_finite(plain(row)))
        yield start + text
        start = ",\n"
    yield "[]\n" if start == "[\n" else "\n]\n"


def _finite(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def text_rows(rows: Sequence[Row], digits: int = 3, in_bytes: Callable[[Row], bool] | None = None) -> Iterator[str]:
    """Align columns for people, rates in bytes per second `in_bytes`; omit columns without a value in any row."""
    if not rows:
        return
    names = [name for name in rows[0] if any(_is_informative(row[name]) for row in rows)]
    bytewise = [in_bytes is not None and in_bytes(row) for row in rows]
    body = [
        [human(name, row[name], digits, in_bytes=are_bytes) for name in names]
        for row, are_bytes in zip(rows, bytewise, strict=True)
    ]
    header = [printable(bare(name)) for name in names]
    widths = [max(map(len, column)) for column in zip(header, *body, strict=True)]
    left = [all(isinstance(row[name], str | None) for row in rows) for name in names]
    for line in (header, *body):
        cells = (
            f"{cell:{'<' if is_left else '>'}{width}}" for cell, width, is_left in zip(line, widths, left, strict=True)
        )
        yield "  ".join(cells).rstrip() + "\n"


def written(
    rows: Iterable[Row],
    columns: Sequence[str],
    form: str,
    digits: int = 3,
    in_bytes: Callable[[Row], bool] | None = None,
) -> Iterator[str]:
    """Rows in the given form; `columns` is the header of CSV, even without rows, the rest is for `text_rows`."""
    if form == "json":
        return json_rows(rows)
    return csv_rows(rows, columns) if form == "csv" else text_rows(list(rows), digits, in_bytes)


def text_object(figures: Row, digits: int = 3, *, of_disks: bool = False) -> Iterator[str]:
    """Named figures for people, one per line; rates of disks in bytes per second, too."""
    width = max(map(len, map(bare, figures)))
    for name, value in figures.items():
        told = human(name, value, digits)
        if of_disks and name.endswith("_bps") and told.endswith("b/s"):
            told = f"{human(name, value, digits, in_bytes=True)} ({told})"
        yield f"{bare(name):<{width}}  {told}\n"


def _is_informative(value: object) -> bool:
    value = plain(value)
    return value is not None and value is not False


def human(name: str, value: object, digits: int = 3, *, in_bytes: bool = False) -> str:
    """Write a value for people, with its unit; a rate in bytes per second if asked."""
    value = plain(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return printable(str(value))
    if math.isinf(value):
        return "no limit"
    form = next((form for ending, form in _HUMAN.items() if name.endswith(ending)), None)
    if in_bytes and name.endswith("_bps"):
        form = _byte_rate
    if form is not None:
        return form(value, digits)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _byte_rate(bps: float, digits: int) -> str:
    return units.format_rate(bps, digits=digits, of="bytes")


def bare(name: str) -> str:
    """Name without the unit at its end."""
    return next((name.removesuffix(ending) for ending in _UNITS if name.endswith(ending)), name)


def chosen_format(arguments: argparse.Namespace) -> str:
    """Return the format of --format, else that of the output file's suffix, else text."""
    if arguments.format is not None:
        return str(arguments.format)
    suffix = Path(arguments.output or "").suffix
    return suffix[1:] if suffix in {".json", ".csv"} else "text"


def deliver(chunks: Iterable[str], arguments: argparse.Namespace) -> None:
    """Write to stdout or, all or nothing, to the file of ``-o``; `whole` refuses links and special files."""
    form = chosen_format(arguments)
    if arguments.output is None:
        show(chunks, form)
        return
    write(arguments.output, _harmless(chunks, form))


def write(target: str, content: str | Iterable[str]) -> None:
    """Write a file, all or nothing, into an existing folder."""
    _require_parent(target)
    whole.write(target, content)


_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{title}</title></head>
<body style="font-family: system-ui, sans-serif">
<main><h1 style="font-size: 1.1em; overflow-wrap: anywhere">{title}</h1><div id="figure"></div></main>
<script>{plotly}</script>
<script>{draw}</script>
</body>
</html>
"""

#: Draws the figure in the colours of `hecn_analysis.figures.theme`, on a dark system in those of a dark page.
_DRAW: Final = """
const spec = SPEC, dark = DARK;
const system = window.matchMedia("(prefers-color-scheme: dark)");
const draw = () => {
  const recolour = (_, value) => (system.matches && typeof value === "string" && dark[value]) || value;
  const {data, layout} = JSON.parse(JSON.stringify(spec), recolour);
  document.body.style.background = system.matches ? dark["#ffffff"] : "";
  Plotly.react("figure", data, layout, {responsive: true});
};
system.addEventListener("change", draw);
draw();
"""


def form_of_figure(target: str) -> str:
    """Ending of the name of a figure; InputError for a form that is not written."""
    form = Path(target).suffix.lower().removeprefix(".")
    if form not in (*PICTURES, *_PAGES):
        raise InputError(f"a figure as .{form}", "a name that ends in .html, .png or .svg", source=target)
    return form


def figure(target: str, drawing: go.Figure, title: str) -> None:
    """Write a figure as a picture (.png, .svg), or as an HTML page with a title that needs no network."""
    form = form_of_figure(target)
    if form not in PICTURES:
        write(target, _page(drawing, title))
        return
    from hecn_analysis.briefs.pictures import Pictures  # noqa: PLC0415 (heavy, and only pictures need it)

    with Pictures() as pictures:
        picture = pictures.figure(drawing.to_plotly_json(), form)
    _require_parent(target)
    whole.write(target, picture)


def _page(drawing: go.Figure, title: str) -> str:
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 (heavy, and only figures need it)

    from hecn_analysis.figures import theme  # noqa: PLC0415 (the same)

    spec = str(drawing.to_json()).replace("<", "\\u003c")  # no text of a file ends the script
    draw = _DRAW.replace("DARK", json.dumps(theme.DARK)).replace("SPEC", spec)
    return _PAGE.format(title=html_text(title), plotly=get_plotlyjs(), draw=draw)


def _require_parent(target: str) -> None:
    parent = Path(target).parent
    if not parent.is_dir():
        raise InputError(f"no directory {str(parent)!r}", "an existing directory", source=target)


def check_targets(targets: Iterable[OutputFile | OutputFolder]) -> None:
    """Refuse targets that cannot be written, before the command does its work."""
    for target in targets:
        if isinstance(target, FigureFile):
            form_of_figure(target)
        if isinstance(target, OutputFile):
            _require_parent(target)
            whole.check(target)
        else:
            whole.check_folder(target)


def folder(given: Path | None, default: Path) -> Path:
    """Folder of ``-o``; the default one must not be a link, since other people's files may have brought it along."""
    if given is None and default.is_symlink():
        raise InputError("a symbolic link", "a folder or nothing", source=default, advice="name a folder with -o")
    return given or default


def show(chunks: Iterable[str], form: str) -> None:
    """Write to stdout; text is stripped of terminal control characters."""
    sys.stdout.writelines(_harmless(chunks, form))


def _harmless(chunks: Iterable[str], form: str) -> Iterable[str]:
    if form != "text":
        return chunks
    return ("\n".join(map(printable, chunk.split("\n"))) for chunk in chunks)
