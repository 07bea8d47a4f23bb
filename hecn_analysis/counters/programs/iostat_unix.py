"""Reports of iostat on BSD, macOS, illumos, Solaris and AIX: what disks read and write, as facts.

Versions: FreeBSD 4 to 14, OpenBSD, NetBSD, macOS (columns below the name of each disk); FreeBSD ``-x``, illumos and
Solaris ``-x``, ``-xn`` (a row for each disk); AIX 4.3 to 7 ("Disks:").

Units and traps
---------------
- KB are 1024 bytes, MB 2**20 (FreeBSD, illumos and AIX count so); a rate without "r" or "w" is of both directions.
- The first report is the average since the host started. The last report of each disk counts, and the largest rate of
  all but the first report.
- AIX's "Kb_read" and "Kb_wrtn" are amounts of the interval, not rates: they are left out.
- "%b" and "tm_act" are the share of time in which the disk was busy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("iostat-bsd", "iostat-illumos", "iostat-aix")
VERSIONS: Final = "FreeBSD, OpenBSD, NetBSD, macOS, illumos, Solaris, AIX"
WHOLE: Final = False

_MARGIN: Final = r"^[ \t]{0,40}"
_BELOW: Final = re.compile(
    _MARGIN + r"(?:tin\s{1,8}tout\s{1,8})?(?P<head>KB/t\s{1,8}(?:tps|xfr)\s{1,8}MB(?:/s)?\b.*)$", re.MULTILINE
)
_NAME: Final = r"[a-z]{1,12}\d{1,4}"
_NAMES: Final = re.compile(_MARGIN + rf"(?:tty\s{{1,40}})?(?P<names>{_NAME}(?:\s{{1,40}}{_NAME}){{0,15}})\b")
_ROWS: Final = re.compile(
    _MARGIN + r"(?P<head>device\s{1,40}r/s\s{1,8}w/s\s{1,8}[kM]r/s\s{1,8}[kM]w/s\s.{0,80}"
    r"|r/s\s{1,8}w/s\s{1,8}[kM]r/s\s{1,8}[kM]w/s\s.{0,80}\sdevice|Disks:\s{1,20}% tm_act\s.{0,80})\s{0,8}$",
    re.MULTILINE,
)
_RATES: Final = {
    "kr/s": ("read_bps", 8192.0),
    "Mr/s": ("read_bps", 8.0 * (1 << 20)),
    "kw/s": ("write_bps", 8192.0),
    "Mw/s": ("write_bps", 8.0 * (1 << 20)),
    "MB/s": ("total_bps", 8.0 * (1 << 20)),
    "Kbps": ("total_bps", 8192.0),
    "r/s": ("reads_per_s", 1.0),
    "w/s": ("writes_per_s", 1.0),
    "tps": ("transfers_per_s", 1.0),
    "KB/t": ("transfer_bytes", 1024.0),
    "%b": ("util_fraction", 0.01),
    "tm_act": ("util_fraction", 0.01),
    "asvc_t": ("await_s", 1e-3),
    "svc_t": ("await_s", 1e-3),
    "ms/r": ("r_await_s", 1e-3),
    "ms/w": ("w_await_s", 1e-3),
}
_PEAKS: Final = ("read_bps", "write_bps", "total_bps")


def recognises(document: Document) -> bool:
    """Whether the heads of such a table are in the file."""
    text = document.text
    return ("KB/t" in text and _BELOW.search(text) is not None) or (
        ("r/s" in text or "tm_act" in text) and _ROWS.search(text) is not None
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read the last report of each disk, and the largest rates of all but the first."""
    disks: dict[str, list[dict[str, Any]]] = {}
    for name, figures in _figures(document, findings):
        disks.setdefault(name, []).append(figures)
    facts = []
    for name, reports in disks.items():
        of_intervals = reports[1:] or reports
        peaks = {
            f"max_{rate}": max(each[rate] for each in of_intervals if rate in each)
            for rate in _PEAKS
            if any(rate in each for each in of_intervals)
        }
        facts.append({"name": name, **reports[-1], **peaks, "is_since_start": len(reports) == 1, "n": len(reports)})
    findings.facts.update(devices=facts, n_samples=max((len(each) for each in disks.values()), default=0))


def _figures(document: Document, findings: CounterFindings) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield disks with their figures in SI units, in the order of the file."""
    columns: list[str] = []
    disks: list[str] = []
    offset, width = 0, 0
    lines = document.lines
    for line, text in enumerate(lines, 1):
        if head := _BELOW.match(text):
            columns = head["head"].split()
            names = _NAMES.match(lines[line - 2]) if line > 1 else None
            width = 3
            found = names["names"].split() if names else []
            repeated = sum(word == "KB/t" for word in columns)
            disks, offset = found[:repeated], 2 * ("tout" in text)
            findings.format = "iostat-bsd"
            if len(disks) < repeated or "MB" in columns:
                said = f"found {text.strip()[:60]!r}, expected the name of each disk above and MB/s; left out"
                findings.problem(line, "malformed", said)
                disks, columns = [], []
        elif head := _ROWS.match(text):
            columns, width = head["head"].replace("% tm_act", "tm_act").split(), 0
            is_named_last = columns[-1] == "device"
            findings.format = "iostat-aix" if columns[0] == "Disks:" else "iostat-illumos"
            findings.format = "iostat-bsd" if columns[0] == "device" and "qlen" in columns else findings.format
            offset = -1 if is_named_last else 0
        elif not columns or not (words := text.split()):
            continue
        elif width:
            values = [number(word) for word in words[offset : offset + width * len(disks)]]
            if len(values) < width * len(disks) or None in values:
                columns = [] if not any(number(word) is not None for word in words) else columns
                continue
            for at, disk in enumerate(disks):
                yield disk, _named(columns[:width], values[at * width : (at + 1) * width])
        else:
            name, *rest = (words[-1], *words[:-1]) if offset else (words[0], *words[1:])
            head_words = columns[:-1] if offset else columns[1:]
            values = [number(word) for word in rest]
            if not re.match(r"[A-Za-z]", name) or len(values) < len(head_words) or None in values[: len(head_words)]:
                columns = []
                continue
            yield name, _named(head_words, values)


def _named(columns: list[str], values: list[float | None]) -> dict[str, Any]:
    """Figures of a disk by their names."""
    return {
        _RATES[column][0]: _RATES[column][1] * value
        for column, value in zip(columns, values, strict=False)
        if column in _RATES and value is not None
    }
