"""Output of ``rrdtool xport``, and of ``rrdtool graph --imgformat`` XML, JSON, CSV, SSV and TSV.

Versions: RRDtool 1.2 to 1.8.

Units and traps
---------------
- Values are what the command computed: bits a second where the legend says so ("in bit/s"), else bytes a second, and
  told where the legend does not say that either.
- Rows without a time begin at "start", a step apart; a time ends its step. The step may be longer than that asked for.
- What is drawn below the axis is negative: the rate is its amount.
- JSON of RRDtool 1.4 has names without quotes, or with single ones.
- The interface is called as the file, without its endings.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element

import defusedxml.ElementTree as SafeElementTree

from hecn_analysis.counters.cells import cells_of
from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings, interval
from hecn_analysis.counters.directions import in_bits, ways
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number_or_nan

FORMATS: Final = ("rrdtool-xport",)
VERSIONS: Final = "RRDtool 1.2 to 1.8"
WHOLE: Final = True

_ROOT: Final = re.compile(r"(?:<\?xml[^>]{0,200}>\s*)?<xport>")
_JSON: Final = re.compile(r"\{\s*[\"']?about[\"']?\s*:\s*[\"']RRD[Tt]ool ")
_CSV: Final = re.compile(r"\"time\"(?P<sign>[,;\t])\"")
_CSV_ROW: Final = re.compile(r"(?P<time>\d{8,11})[,;\t]\"")
_BITS: Final = 8
_LATEST: Final = 1e11  # seconds since 1970

Rows = list[tuple[int | None, float, list[float]]]
"""Line, time and values of each row."""


def recognises(document: Document) -> bool:
    """Whether a file has the root of the XML, the first words of the JSON, or the header of the CSV."""
    if _ROOT.match(document.start) or _JSON.match(document.start):
        return True
    return (
        _CSV.match(document.start) is not None and len(document.lines) > 1 and bool(_CSV_ROW.match(document.lines[1]))
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows."""
    findings.format = "rrdtool-xport"
    if document.start.startswith("<"):
        legend, rows = _of_xml(document, findings)
    elif document.start.startswith("{"):
        legend, rows = _of_json(document, findings)
    else:
        legend, rows = _of_csv(document, findings)
    hand_over(document.stem, legend, rows, findings)


def hand_over(name: str, legend: Sequence[str], rows: Rows, findings: CounterFindings, unit: str = "") -> None:
    """Make rates and facts from rows."""
    places = ways(legend)
    factors: dict[str, int] = {}
    for way, place in places.items():
        bits = in_bits(legend[place]) if in_bits(legend[place]) is not None else in_bits(unit)
        factors[way] = 1 if bits else _BITS
        if bits is None:
            findings.problem(
                None,
                "unit",
                f"found {legend[place][:60]!r} without a unit, expected bit/s or bytes/s; read as bytes a second",
            )
    times = sorted({time for _, time, _ in rows})
    step = findings.facts.get("step_s") or interval(times)
    findings.facts.update(
        columns=list(legend),
        n_samples=len(rows),
        n_valid=sum(any(map(math.isfinite, values)) for _, _, values in rows),
        first_time=iso(times[0]) if times else None,
        last_time=iso(times[-1]) if times else None,
        step_s=step,
        series=[_series(place, legend, rows, places, factors) for place in range(len(legend))],
    )
    for line, time, values in rows if places else []:
        given = {
            way: factors[way] * abs(values[place])
            for way, place in places.items()
            if place < len(values) and math.isfinite(values[place])
        }
        findings.rate(
            interface=name,
            line=line,
            time=time,
            interval_s=float(step) if isinstance(step, (int, float)) else None,
            in_bps=given.get("in"),
            out_bps=given.get("out"),
            flag="given" if given else "missing",
        )


def _series(
    place: int, legend: Sequence[str], rows: Rows, places: dict[str, int], factors: dict[str, int]
) -> dict[str, object]:
    values = [abs(row[place]) for _, _, row in rows if place < len(row) and math.isfinite(row[place])]
    facts: dict[str, object] = {"name": legend[place], "n": len(values)}
    for way, own in places.items():
        if own == place and values:
            facts[f"max_{way}_bps"] = factors[way] * max(values)
            facts[f"mean_{way}_bps"] = factors[way] * sum(values) / len(values)
    return facts


def _of_xml(document: Document, findings: CounterFindings) -> tuple[list[str], Rows]:
    root = document.xml
    if root is None:
        text = document.text
        findings.problem(
            text.count("\n") + 1,
            "truncated",
            "found XML that breaks off or is no XML, expected </xport>; whole rows are read",
        )
        start, cut = text.find("<xport>"), text.rfind("</row>") + len("</row>")
        try:
            mended: Element = SafeElementTree.fromstring(text[start:cut] + "</data></xport>")
        except (SafeElementTree.ParseError, ValueError):
            return [], []
        root = mended
    start_s, step = number_or_nan(root.findtext("meta/start")), number_or_nan(root.findtext("meta/step"))
    findings.facts["step_s"] = int(step) if math.isfinite(step) else None
    legend = [(entry.text or "").strip() for entry in root.iterfind("meta/legend/entry")]
    lines = [document.text.count("\n", 0, match.start()) + 1 for match in re.finditer("<row>", document.text)]
    rows: Rows = []
    for place, row in enumerate(root.iterfind("data/row")):
        time = number_or_nan(row.findtext("t")) if row.find("t") is not None else start_s + place * step
        values = [number_or_nan(value.text) for value in row if value.tag != "t"]
        if abs(time) < _LATEST:
            rows.append((lines[place] if place < len(lines) else None, time, values))
    return legend, rows


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _of_json(document: Document, findings: CounterFindings) -> tuple[list[str], Rows]:
    value: Any = None
    for text in (each for end in ("", "}", "]}") for each in _ended(document.text, end)):
        try:
            value = json.loads(re.sub(r"(?<=[\[,\s])-?nan(?=[\],\s])", "null", text))
            break
        except (ValueError, RecursionError):
            continue
    if not isinstance(value, dict) or not isinstance(value.get("meta"), dict):
        findings.problem(1, "malformed", "found no JSON that can be read, expected that of rrdtool xport")
        return [], []
    if not document.text.rstrip().endswith("}"):
        findings.problem(
            document.text.count("\n") + 1,
            "truncated",
            "found JSON that breaks off, expected its end; whole rows are read",
        )
    meta = value["meta"]
    start, step = number_or_nan(str(meta.get("start"))), number_or_nan(str(meta.get("step")))
    findings.facts["step_s"] = int(step) if math.isfinite(step) else None
    legend = [str(entry) for entry in _list(meta.get("legend"))]
    rows: Rows = []
    for place, row in enumerate(_list(value.get("data"))):
        if not isinstance(row, list):
            continue
        numbers = [math.nan if cell is None else number_or_nan(str(cell)) for cell in row]
        timed = bool(row) and isinstance(row[0], str) and len(row) == len(legend) + 1
        time = numbers[0] if timed else start + place * step
        if abs(time) < _LATEST:
            rows.append((None, time, numbers[1:] if timed else numbers))
    return legend, rows


def _quoted(text: str) -> str:
    """Put names of RRDtool 1.4's JSON in double quotes."""
    text = re.sub(r"(?<=[{,\s])([A-Za-z_]{1,40})\s*:(?=\s)", r'"\1":', text)
    return re.sub(r"'([^'\n]{0,400})'", r'"\1"', text)


def _ended(text: str, end: str) -> Iterator[str]:
    """Yield the JSON as it is and as RRDtool 1.4 writes it, complete or, with an end, up to its last complete row."""
    for written in (text, _quoted(text)):
        yield written[: written.rfind("]") + 1] + end if end else written


def _of_csv(document: Document, findings: CounterFindings) -> tuple[list[str], Rows]:
    header = _CSV.match(document.start)
    separator = header["sign"] if header else ","
    legend = cells_of(document.lines[0], separator)[1:]
    rows: Rows = []
    for line_number, line in enumerate(document.lines[1:], 2):
        if not line.strip():
            continue
        words = cells_of(line, separator)
        if not _CSV_ROW.match(line) or len(words) != len(legend) + 1:
            last = line_number == len(document.lines)
            findings.problem(
                line_number,
                "truncated" if last else "malformed",
                f"found {line[:80]!r}, expected a time and {len(legend)} values; left out",
            )
            continue
        rows.append((line_number, float(words[0]), [number_or_nan(word) for word in words[1:]]))
    return legend, rows
