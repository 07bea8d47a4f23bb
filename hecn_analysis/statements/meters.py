"""Meters of copies that were broken off: the smoothed rate that scp or sftp last showed, K of 1024 bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_METER: Final = re.compile(
    r"(?<!\S)\d{1,2}%\s{1,4}\d{1,6} {0,4}[KMGT]?B?\s{1,9}(?P<rate>\d{1,6}\.\d)(?P<unit>[KMGT])B/s\s{1,4}[\d:]{5,10} ETA"
)


def find(document: Document) -> Iterator[Statement]:
    """Find the rates of meters before their end."""
    if "ETA" not in document.text or "B/s" not in document.text:
        return
    for number, line in enumerate(document.lines, 1):
        for match in list(_METER.finditer(line[-400:]))[-1:]:
            bps = 8 * float(match["rate"]) * 1024.0 ** (1 + "KMGT".index(match["unit"]))
            yield Statement("run.meter_bps", bps, document.source_file, number, match[0], end_of(document.source_file))
