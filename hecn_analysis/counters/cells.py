"""Cells of a line of comma-separated values."""

from __future__ import annotations

import csv


def cells_of(line: str, separator: str = ",") -> list[str]:
    r"""Cut a line into its cells, without the blanks around them; a line that is none has no cells."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return []
