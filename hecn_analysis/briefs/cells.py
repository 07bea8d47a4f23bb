"""Numbers and tables as text: unit and digits of a column follow from its name; text is escaped for HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hecn_analysis.base.html_text import html_text
from hecn_analysis.base.units import format_probability

MISSING = "–"
Cell = Any  # of a DataFrame


@dataclass(frozen=True)
class Format:
    """Format of a column."""

    unit: str
    numeric: bool
    text: Callable[[Cell], str]


def number(value: Cell, factor: float, form: str) -> str:
    """Write a number in another unit.

    Parameters
    ----------
    value
        The number in SI units, or a missing value of pandas.
    factor
        Factor from SI to the unit.
    form
        Python format, such as ``.2f``.

    Returns
    -------
    str
        The number without its unit, with a true minus sign; a dash if it is missing.

    Examples
    --------
    >>> number(9.8242e9, 1e-9, ".2f"), number(-0.012, 100, "+.1f"), number(-1e-9, 100, ".0f"), number(None, 1, ".0f")
    ('9.82', '−1.2', '0', '–')
    """
    if pd.isna(value):
        return MISSING
    if math.isinf(value):
        return "∞"
    text = format(value * factor, form)
    return text.replace("-", "−") if text.strip("-+0.") else text.lstrip("-")


def _words(value: Cell) -> str:
    """Write any other value."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if pd.isna(value) or value == "":
        return MISSING
    return f"{value:g}" if isinstance(value, float) else str(value)


def _scaled(unit: str, factor: float, form: str) -> Format:
    return Format(unit, numeric=True, text=lambda value: number(value, factor, form))


def _probability(value: Cell) -> str:
    return MISSING if pd.isna(value) else format_probability(float(value)).removesuffix(" %")


# Formats of rates, by the lower bound of the largest rate of a table. [bit/s]
RATES = {0.0: _scaled("Mb/s", 1e-6, ".2f"), 1e9: _scaled("Gb/s", 1e-9, ".2f")}

# The first matching ending applies. `value` is a number already written as text.
FORMATS = {
    "rtt_s": _scaled("ms", 1e3, ".2f"),
    "_s": _scaled("s", 1, ".2f"),
    "error": _scaled("%", 100, "+.1f"),
    "probability": Format("%", numeric=True, text=_probability),
    "_fraction": _scaled("%", 100, ".0f"),
    "value": Format("", numeric=True, text=_words),  # with its unit
}


def rate_format(frame: pd.DataFrame, names: Iterable[str]) -> Format:
    """Format of a table's rates: Gb/s, or Mb/s if all are below 1 Gb/s."""
    rates = [pd.to_numeric(frame[name]).astype(float) for name in names if name.endswith("_bps")]
    finite = [column[np.isfinite(column)].max() for column in rates]
    largest = max((float(column) for column in finite if not pd.isna(column)), default=math.inf)
    return RATES[max(least for least in RATES if least <= max(largest, 0.0))]


def format_of(name: str, column: pd.Series[Any], rates: Format) -> Format:
    """Format of a column by its name, else by its contents."""
    if name.endswith("_bps"):
        return rates
    if name in ("measured", "interval"):  # texts made of rates
        return Format(rates.unit, numeric=True, text=_words)
    for ending, form in FORMATS.items():
        if name.endswith(ending):
            return form
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    return Format("", numeric=numeric, text=_words)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain JSON values; missing is None."""
    return [{str(name): plain(value) for name, value in row.items()} for row in frame.to_dict("records")]


def plain(value: Any) -> Any:  # noqa: ANN401
    """A cell as a plain JSON value; None if it is missing or infinite."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if pd.isna(value):
        return None
    scalar = value.item() if hasattr(value, "item") else value
    if isinstance(scalar, float) and not math.isfinite(scalar):
        return None
    return scalar if isinstance(scalar, (bool, int, float, str)) else str(scalar)


def _heading(column: Mapping[str, Any]) -> str:
    """A column's label with its unit."""
    return f"{column['label']} ({column['unit']})" if column["unit"] else str(column["label"])


def plain_table(
    caption: str, columns: Sequence[Mapping[str, Any]], cells: Sequence[Sequence[str]], note: str = ""
) -> str:
    """Write a table as aligned text."""
    rows = [[_heading(column) for column in columns], *cells]
    widths = [max(len(row[index]) for row in rows) for index in range(len(columns))]
    sides = [">" if column["numeric"] else "<" for column in columns]
    lines = [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([caption, *lines, *([note] if note else [])])


def html_table(
    caption: str, columns: Sequence[Mapping[str, Any]], cells: Sequence[Sequence[str]], note: str = ""
) -> str:
    """Write a whole table for Jupyter, in a box that scrolls sideways."""
    sides = ["right" if column["numeric"] else "left" for column in columns]

    def row(tag: str, texts: Sequence[str]) -> str:
        cells = zip(texts, sides, strict=True)
        return (
            "\n<tr>"
            + "".join(f'<{tag} style="text-align:{side}">{html_text(text)}</{tag}>' for text, side in cells)
            + "</tr>"
        )

    head, body = row("th", [_heading(column) for column in columns]), "".join(row("td", texts) for texts in cells)
    return (
        f'<div style="overflow-x:auto"><table><caption style="text-align:left">{html_text(caption)}</caption>'
        f"<thead>{head}</thead><tbody>{body}</tbody></table></div><small>{html_text(note)}</small>"
    )
