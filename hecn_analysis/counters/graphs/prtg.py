"""Historic data of PRTG Network Monitor as CSV, XML and JSON in its languages; CSV logs of PRTG Traffic Grapher.

Versions: PRTG 7 to 26 (historicdata.csv, .xml, .json of its interface, and what its pages save), PRTG Traffic Grapher 5
and 6. Of XML and JSON no recorded file was found: they are read as the manual and clients show them.

Units and traps
---------------
- Channels come as pairs: in words ("2.25 Mbit/s") and, with "(RAW)", "_raw" or in an element "value_raw", as a number.
- The separator of CSV is a comma, a semicolon or a tab; there may be a byte order mark, a line "sep=;", or a column of
  numbers in front, which other programs added. Names of columns and dates are in the language of the user.
- JSON has no raw dates with "usecaption=1", and all channels are called "value" without it: then their names are lost,
  and no rates are made.
- Traffic Grapher: "timecode" is seconds since 2000-01-01 in local time, "kbits_per_sec_in" is in 1000 bit/s.
- Everything else is as in `prtg_rows`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, cast
from xml.etree.ElementTree import Element

import defusedxml.ElementTree as SafeElementTree

from hecn_analysis.counters.cells import cells_of
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.graphs.prtg_rows import Row, channel, hand_over, is_raw_date, moment
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number
from hecn_analysis.parsing.json_values import objects

FORMATS: Final = ("prtg-csv", "prtg-xml", "prtg-json")
VERSIONS: Final = "PRTG Network Monitor 7 to 26, PRTG Traffic Grapher 5 and 6"
WHOLE: Final = True

_RAW: Final = re.compile(r"(?:\s?\(RAW\)|_raw)$", re.IGNORECASE)
_SEPARATORS: Final = ",;\t"
_LARGEST: Final = 1e100
_GRAPHER: Final = "timecode (seconds since 2000/1/1)"
_UNIT: Final = re.compile(r"\((?P<unit>[kKMGT]?(?:bit|byte|Byte|B|b)s?/s\w{0,3})\)\s*$")
_SUMMARY: Final = re.compile(r"[^\d(（]{2,60}[(（][^)）]{0,60}\d[^)）]{0,60}[)）]\s*$")
_LATEST: Final = 1 << 32  # seconds since 2000
_HEADER_LINES: Final = 5
_NO_DATA: Final = "Not enough monitoring data"


def recognises(document: Document) -> bool:
    """Whether there is a header with pairs of columns and a row with a date, or the root of PRTG's XML or JSON."""
    start = document.start
    if start.startswith("<"):
        return re.match(r"(?:<\?xml[^>]{0,200}>\s*)?<histdata[\s>]", start) is not None
    if start.startswith("{"):
        return re.search(r'"histdata"\s*:\s*\[', start) is not None and '"datetime"' in start
    if start.startswith(_NO_DATA) and len(start) < 200:
        return True
    return _table(document) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows of the file."""
    start = document.start
    if start.startswith("<"):
        findings.format = "prtg-xml"
        rows = list(_of_xml(document, findings))
    elif start.startswith("{"):
        findings.format = "prtg-json"
        rows = list(_of_json(document, findings))
    elif start.startswith(_NO_DATA):
        findings.format = "prtg-csv"
        rows = []
    else:
        findings.format = "prtg-csv"
        at, separator, header = cast("tuple[int, str, list[str]]", _table(document))
        if _GRAPHER in header:
            rows = list(_of_grapher(document, findings, at, separator, header))
        else:
            rows = list(_of_csv(document, findings, at, separator, header))
    hand_over(rows, findings)


def _table(document: Document) -> tuple[int, str, list[str]] | None:
    """Place of the header, the separator, and the names of the columns; None for other files."""
    for at, line in enumerate(document.lines[:_HEADER_LINES]):
        if not line.strip() or line.startswith("sep="):
            continue
        for separator in _SEPARATORS:
            header = cells_of(line, separator)
            if len(header) > 2 and _is_ours(header, document.lines[at + 1 : at + 3], separator):
                return at, separator, header
        return None
    return None


def _is_ours(header: Sequence[str], following: Sequence[str], separator: str) -> bool:
    if _GRAPHER in header:
        return True
    pairs = _pairs(header)
    raw = [plain for plain, number_ in pairs if number_ is not None]
    known = [name for name in header if channel(_RAW.sub("", name)) is not None]
    if len(raw) < 2 and not known:
        return False
    for line in following:
        cells = cells_of(line, separator)
        for plain, number_ in pairs[:2]:
            if plain < len(cells) and _dated(cells[plain]):
                return number_ is None or (number_ < len(cells) and is_raw_date(cells[number_]))
    return False


def _pairs(header: Sequence[str]) -> list[tuple[int, int | None]]:
    """Places of columns in words, each with that of the raw one behind it; a raw one may have a name of its own."""
    pairs: list[tuple[int, int | None]] = []
    at = 0
    while at < len(header):
        if not header[at]:
            at += 1
        elif at + 1 < len(header) and _RAW.search(header[at + 1]) and not _RAW.search(header[at]):
            pairs.append((at, at + 1))
            at += 2
        else:
            pairs.append((at, None))
            at += 1
    return pairs


def _of_csv(
    document: Document, findings: CounterFindings, at: int, separator: str, header: Sequence[str]
) -> Iterator[Row]:
    pairs = _pairs(header)
    lines = [(n, cells_of(line, separator)) for n, line in enumerate(document.lines[at + 1 :], at + 2) if line.strip()]
    dated = next(
        (n for n, (plain, _) in enumerate(pairs) if any(_dated(_at(cells, plain)) for _, cells in lines[:3])), 0
    )
    open_end = bool(document.lines[-1].strip())
    for line_number, cells in lines:
        words, numbers = (_at(cells, place) for place in pairs[dated])
        if open_end and line_number == len(document.lines) and len(cells) < len(header):
            findings.problem(line_number, "truncated", f"found {len(cells)} cells, expected {len(header)}; left out")
        elif _dated(words) or is_raw_date(numbers):
            row = Row(line_number, words, numbers)
            for place, (plain, raw) in enumerate(pairs):
                if place != dated:
                    row.values[header[plain]] = (_with_unit(_at(cells, plain), header[plain]), _at(cells, raw))
            _cover(row)
            yield row
        elif not _SUMMARY.match(words):
            text = separator.join(cells)[:80]
            findings.problem(line_number, "malformed", f"found {text!r}, expected a row with a date; left out")


def _with_unit(words: str, name: str) -> str:
    """Give a bare number the unit that the name of its column ends with."""
    unit = _UNIT.search(name)
    return f"{words} {unit['unit']}" if unit and re.fullmatch(r"[\d., \u00a0]{1,30}", words) else words


def _at(cells: Sequence[str], place: int | None) -> str:
    return cells[place] if place is not None and place < len(cells) else ""


def _dated(text: str) -> bool:
    return moment(text, day_first=True) is not None or moment(text, day_first=False) is not None


def _cover(row: Row) -> None:
    """Move the coverage, the last channel, out of the others."""
    if row.values:
        name = next(reversed(row.values))
        words, raw = row.values[name]
        if channel(name, words) is None and (words.endswith("%") or (not words and number(raw) == 0)):
            row.coverage = raw
            del row.values[name]


def _of_grapher(
    document: Document, findings: CounterFindings, at: int, separator: str, header: Sequence[str]
) -> Iterator[Row]:
    place = {name: n for n, name in enumerate(header)}
    epoch = datetime(2000, 1, 1)  # noqa: DTZ001 - local
    ways = {"in": ("kbits_per_sec_in", "bytes_in"), "out": ("kbits_per_sec_out", "bytes_out")}
    for line_number, line in enumerate(document.lines[at + 1 :], at + 2):
        cells = cells_of(line, separator)
        if not line.strip():
            continue
        seconds = number(cells[place[_GRAPHER]]) if place[_GRAPHER] < len(cells) else None
        if seconds is None or not 0 <= seconds < _LATEST or len(cells) < len(header):
            last = line_number == len(document.lines)
            findings.problem(
                line_number,
                "truncated" if last else "malformed",
                f"found {line[:80]!r}, expected a date and values; left out",
            )
            continue
        row = Row(line_number, (epoch + timedelta(seconds=seconds)).isoformat(" "), "")
        for way, (speed, volume) in ways.items():
            for name, kind, factor in ((speed, "speed", 1000 / 8), (volume, "volume", 1)):
                value = number(cells[place[name]]) if name in place else None
                row.values[f"Traffic {way} ({kind})"] = ("", "" if value is None else repr(factor * value))
        yield row


def _of_xml(document: Document, findings: CounterFindings) -> Iterator[Row]:
    root = document.xml
    if root is None:
        root = _mended(document, findings)
        if root is None:
            return
    lines = [document.text.count("\n", 0, match.start()) + 1 for match in re.finditer(r"<item[\s>]", document.text)]
    findings.facts["version"] = (root.findtext("prtg-version") or "").strip() or None
    for place, item in enumerate(root.iter("item")):
        row = Row(
            lines[place] if place < len(lines) else None,
            item.findtext("datetime") or "",
            item.findtext("datetime_raw") or "",
        )
        for value in item.iter("value"):
            row.values[value.get("channel") or ""] = ((value.text or "").strip(), "")
        for value in item.iter("value_raw"):
            name = value.get("channel") or ""
            row.values[name] = (row.values.get(name, ("", ""))[0], (value.text or "").strip())
        row.coverage = (item.findtext("coverage_raw") or "").strip()
        yield row


def _mended(document: Document, findings: CounterFindings) -> Element | None:
    """Read a truncated document up to its last complete item."""
    cut = document.text.rfind("</item>")
    line = document.text.count("\n") + 1
    findings.problem(
        line, "truncated", "found XML that breaks off or is no XML, expected </histdata>; whole items are read"
    )
    if cut < 0:
        return None
    start = document.text.find("<histdata")
    try:
        root: Element = SafeElementTree.fromstring(document.text[start:cut] + "</item></histdata>")
    except (SafeElementTree.ParseError, ValueError):
        return None
    return root


def _of_json(document: Document, findings: CounterFindings) -> Iterator[Row]:
    try:
        value: Any = json.loads(document.text, object_pairs_hook=_pairs_of_json)
    except (ValueError, RecursionError):
        line = document.text.count("\n") + 1
        findings.problem(
            line, "truncated", "found JSON that breaks off or is no JSON, expected its end; whole rows are read"
        )
        value = _whole_rows(document.text)
    findings.facts["version"] = value.get("prtg-version")
    unnamed = False
    for item in objects(value.get("histdata")):
        row = Row(
            None,
            str(item.get("datetime") or ""),
            str(item.get("datetime_raw") or ""),
            coverage=str(item.get("coverage_raw") or ""),
        )
        for name, given in item.items():
            if name in {"datetime", "datetime_raw", "coverage", "coverage_raw"}:
                continue
            bare = _RAW.sub("", name)
            unnamed = unnamed or re.fullmatch(r"value(?:\[\d+\])?", bare) is not None
            words, raw = row.values.get(bare, ("", ""))
            is_number = isinstance(given, (int, float)) and not isinstance(given, bool) and abs(given) < _LARGEST
            text = repr(float(given)) if is_number else str(given or "")
            row.values[bare] = (words, text) if is_number or bare != name else (text, raw)
        yield row
    if unnamed:
        findings.problem(
            None,
            "ambiguous",
            "found channels that are all called 'value', expected names; ask PRTG with usecaption=1; no rates made",
        )


def _pairs_of_json(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names may be repeated: the second one becomes name[1]."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        place, own = 0, name
        while own in values:
            place += 1
            own = f"{_RAW.sub('', name)}[{place}]{'_raw' if _RAW.search(name) else ''}"
        values[own] = value
    return values


def _whole_rows(text: str) -> dict[str, Any]:
    start = text.find("[", text.find('"histdata"'))
    cut = text.rfind("}")
    while start >= 0 and cut > start:
        try:
            return {"histdata": json.loads(text[start : cut + 1] + "]", object_pairs_hook=_pairs_of_json)}
        except (ValueError, RecursionError):
            cut = text.rfind("}", start, cut)
    return {}
