"""Round-robin databases of RRDtool: what ``rrdtool dump`` prints as XML, and the files (.rrd) themselves.

Versions: RRDtool 1.0 to 1.8. A file is given to the program ``rrdtool``, which must be installed and of the
architecture that wrote the file.

Units and traps
---------------
- A data source of octets holds bytes a second, whether its type is COUNTER, DERIVE or ABSOLUTE. A GAUGE holds what
  somebody put there: it is read as bytes a second, and told.
- Which source is received and which is sent shows in their names (`directions`); others are facts only.
- A row's time ends its step. Several archives keep the same time in different steps: the table of rates has the
  shortest step for each time, with the maximum where an archive of the same step keeps MAX, and longer steps only for
  what is older. The facts have all archives.
- The mean of a longer step hides a peak that MAX keeps.
- The interface is called as the file, without its endings.
"""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

import defusedxml.ElementTree as SafeElementTree
import numpy as np

from hecn_analysis.base.children import private_folder
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.directions import ways
from hecn_analysis.files import whole
from hecn_analysis.files.documents import Document
from hecn_analysis.logs.contract import Array
from hecn_analysis.parsing.amounts import number, number_or_nan

FORMATS: Final = ("rrdtool-dump", "rrd-binary")
VERSIONS: Final = "RRDtool 1.0 to 1.8"
WHOLE: Final = True

_BEFORE_THE_ROOT: Final = (("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">"))
_MAGIC: Final = b"RRD\0"
_PATIENCE_S: Final = 120
_BITS: Final = 8
_ROW: Final = "</row>"


@dataclass(frozen=True)
class _Archive:
    """An archive: consolidation function, seconds of a row, ends of rows since 1970, values by step and data source."""

    cf: str
    step: int
    ends: Array
    values: Array


def recognises(document: Document) -> bool:
    """Whether a file has the first bytes of a database, or the root of a dump."""
    return document.content.startswith(_MAGIC) or _without_prolog(document.start).startswith("<rrd>")


def _without_prolog(text: str) -> str:
    """Return the XML from its root on."""
    while True:
        for begin, end in _BEFORE_THE_ROOT:
            if text.startswith(begin) and end in text:
                text = text[text.index(end) + len(end) :].lstrip()
                break
        else:
            return text


def read(document: Document, findings: CounterFindings) -> None:
    """Read a dump, made by the program if needed."""
    if document.content.startswith(_MAGIC):
        findings.format = "rrd-binary"
        root = _dumped(document.content, findings)
    else:
        findings.format = "rrdtool-dump"
        root = document.xml
        if root is None:
            root = _mended(document, findings)
    if root is not None:
        _database(root, findings, document.stem)


def _dumped(content: bytes, findings: CounterFindings) -> Element | None:
    program = shutil.which("rrdtool")
    if program is None:
        findings.problem(
            None,
            "unreadable",
            "found a database of RRDtool, expected the program rrdtool to read it with; install the package rrdtool",
        )
        return None
    with private_folder("rrdtool") as folder:
        file = folder / "database.rrd"
        whole.write(file, content)
        try:
            done = subprocess.run(  # noqa: S603 - a program of the system, and our own file
                [program, "dump", "--no-header", str(file)], capture_output=True, timeout=_PATIENCE_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            findings.problem(None, "unreadable", f"found that rrdtool does not answer ({error}), expected a dump")
            return None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().replace(str(file), "the file")[:200]
        findings.problem(None, "unreadable", f"found that rrdtool cannot read the file ({said}), expected a dump")
        return None
    try:
        root: Element = SafeElementTree.fromstring(done.stdout)
    except (SafeElementTree.ParseError, ValueError):
        findings.problem(None, "unreadable", "found no XML from rrdtool, expected a dump")
        return None
    return root


def _mended(document: Document, findings: CounterFindings) -> Element | None:
    """Read a truncated dump: its complete rows."""
    text = document.text
    findings.problem(
        text.count("\n") + 1,
        "truncated",
        "found XML that breaks off or is no XML, expected </rrd>; whole rows are read",
    )
    start, cut = text.find("<rrd>"), text.rfind(_ROW)
    endings = ("</database></rra></rrd>",) if cut > start else ("</rrd>",)
    cut = cut + len(_ROW) if cut > start else text.rfind("</ds>") + len("</ds>")
    for ending in endings:
        try:
            root: Element = SafeElementTree.fromstring(text[start:cut] + ending)
        except (SafeElementTree.ParseError, ValueError):
            continue
        return root
    return None


def _database(root: Element, findings: CounterFindings, name: str) -> None:
    step, last = _whole(root.findtext("step")), _whole(root.findtext("lastupdate"))
    sources = [
        {
            "name": (source.findtext("name") or "").strip(),
            "type": (source.findtext("type") or "").strip(),
            "heartbeat_s": _whole(source.findtext("minimal_heartbeat")),
            "max_bytes_per_s": number(source.findtext("max")),
        }
        for source in root.findall("ds")
    ]
    names = [str(source["name"]) for source in sources]
    places = ways(names)
    if any(sources[place]["type"] == "GAUGE" for place in places.values()):
        gauges = ", ".join(names[place] for place in places.values())
        findings.problem(None, "unit", f"found gauges ({gauges}), expected counters; read as bytes a second")
    archives = [] if step is None or last is None else list(_archives(root, step, last, len(sources)))
    if step is None or last is None:
        findings.problem(
            None, "malformed", "found a database without a step or a last update, expected both; rows are left out"
        )
    findings.facts.update(
        step_s=step,
        last_update=last,
        data_sources=sources,
        archives=[{"cf": archive.cf, "rows": len(archive.ends), "step_s": archive.step} for archive in archives],
        series=[_summary(archive, places) for archive in archives],
    )
    if places:
        _rates(archives, places, findings, name)


def _archives(root: Element, step: int, last: int, width: int) -> Iterator[_Archive]:
    for archive in root.findall("rra"):
        own = step * (_whole(archive.findtext("pdp_per_row")) or 1)
        rows = [[number_or_nan(value.text) for value in row.findall("v")] for row in archive.iterfind("database/row")]
        values = np.full((len(rows), width), math.nan)
        for place, row in enumerate(rows):
            values[place, : min(width, len(row))] = row[:width]
        newest = last - last % own
        ends = newest - own * np.arange(len(rows) - 1, -1, -1, dtype=float)
        yield _Archive((archive.findtext("cf") or "").strip(), own, ends, values)


def _summary(archive: _Archive, places: dict[str, int]) -> dict[str, object]:
    facts: dict[str, object] = {"cf": archive.cf, "step_s": archive.step}
    known = np.isfinite(archive.values)
    facts["n"] = int(known[:, list(places.values())].any(axis=1).sum()) if places else int(known.any(axis=1).sum())
    for way in ("in", "out"):
        column = archive.values[known[:, places[way]], places[way]] if way in places else np.empty(0)
        facts[f"max_{way}_bps"] = float(_BITS * column.max()) if len(column) else None
        facts[f"mean_{way}_bps"] = float(_BITS * column.mean()) if len(column) else None
    return facts


def _rates(archives: Sequence[_Archive], places: dict[str, int], findings: CounterFindings, name: str) -> None:
    """Add each time once, from the archive of the shortest step that has it."""
    kept: dict[tuple[str, int], _Archive] = {}
    for archive in archives:
        kept.setdefault((archive.cf, archive.step), archive)
    columns = list(places.values())
    covered = math.inf
    rows: list[dict[str, object]] = []
    for step in sorted(step for cf, step in kept if cf == "AVERAGE"):
        means, most = kept["AVERAGE", step], kept.get(("MAX", step))
        known = np.any(np.isfinite(means.values[:, columns]), axis=1, keepdims=True)[:, 0]
        first = int(np.argmax(known)) if known.any() else len(known)
        ends = means.ends[first:]
        last = first + int(np.searchsorted(ends - step, covered))
        if last > first and means.ends[last - 1] > covered:
            if known[last - 1]:  # the step in which the shorter ones begin: it has all of its time, they have not
                begun = means.ends[last - 1]
                rows = [row for row in rows if float(str(row["time"])) > begun]
            else:
                last -= 1
        rows += [_row(means, most, place, places) for place in range(first, last)]
        if known.any():
            covered = min(covered, float(means.ends[first]) - step)
    for row in sorted(rows, key=lambda row: float(str(row["time"]))):
        findings.rate(interface=name, **row)


def _row(means: _Archive, most: _Archive | None, place: int, places: dict[str, int]) -> dict[str, object]:
    """Return a row of the table of rates."""
    end = float(means.ends[place])
    row: dict[str, object] = {"time": end, "interval_s": float(means.step), "flag": "missing"}
    same = -1 if most is None else int(np.searchsorted(most.ends, end))
    for way, column in places.items():
        if math.isfinite(value := means.values[place, column]):
            row.update({f"{way}_bps": float(_BITS * value), "flag": "given"})
        if most is not None and same < len(most.ends) and most.ends[same] == end:
            value = most.values[same, column]
            row[f"{way}_max_bps"] = float(_BITS * value) if math.isfinite(value) else None
    return row


def _whole(text: str | None) -> int | None:
    value = number(text)
    return None if value is None else int(value)
