"""Cells of a line of comma-separated values."""

from __future__ import annotations

import csv


def cells_of(line: str, separator: str = ",") -> list[str]:
    r"""Cut a line into its cells, without the blanks around them; a line that is none has no cells.

    Parameters
    ----------
    line
        The line.
    separator
        What stands between the cells.

    Returns
    -------
    list of str
        The cells.

    Examples
    --------
    >>> cells_of('1, "2;3" ,x'), cells_of('1;"2,5"', ";"), cells_of("a\rb")
    (['1', '"2;3"', 'x'], ['1', '2,5'], [])
    """
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return []
