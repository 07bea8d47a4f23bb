"""Cells of a line of comma-separated values."""

from __future__ import annotations

import csv


def cells_of(line: str, separator: str = ",") -> list[str]:
    r"""Split a line into stripped cells; an invalid line has none."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return []
