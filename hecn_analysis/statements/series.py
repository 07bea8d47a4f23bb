r"""Series that people state: rates at several distances, numbers of streams, or sizes of requests.

"At 10 ms delay I get 73 MB/s, at 100 ms 9 MB/s" is a law: :math:`r \propto x^{s}`. The slope :math:`s` between two
neighbours tells whether a window holds the rate back (-1 over the round-trip time), whether each stream has a limit
of its own (1 over their number), or whether each request waits (1 over its size). Values stand in a sentence, in items
of a list, or in the columns of a table whose heading has the units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import sentences
from hecn_analysis.statements.speeds import NUMBER, RATE, speeds, unit_of
from hecn_analysis.statements.statement import Statement, end_of

#: Largest file that is taken for what somebody wrote, and longest row of a list or table. [B], [characters]
_LARGEST: Final = 1 << 14
_LONGEST: Final = 240

#: Least ratio of two neighbours of a series. [1]
_LEAST_RATIO: Final = 1.45

#: Farthest that rows of one series stand from each other. [lines]
_NEAR: Final = 6

_FEW: Final = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "eight": 8, "ten": 10, "sixteen": 16}
_UNITS: Final = {"": 1.0, "k": 1024.0, "m": 1024.0**2, "g": 1024.0**3}

_RTT: Final = re.compile(rf"(?<![\w.,/-])(?P<x>{NUMBER}) ?(?:ms|msec|milliseconds?|мс|毫秒)(?![\w/])", re.IGNORECASE)
_STREAMS: Final = re.compile(
    r"(?<![\w.,/-])(?P<x>\d{1,3}|one|single|two|three|four|five|eight|ten|sixteen)[ -]"
    r"(?:(?:parallel|tcp|concurrent|simultaneous|iperf3?|http|download|upload|copy) ){0,2}"
    r"(?:streams?|connections?|threads?|flows?|sessions?|workers?|jobs|transfers|sockets?|processes|processe?s?)\b"
    r"|(?<![\w-])(?:-P|--parallel|--transfers|--multi-thread-streams|-j|-t)[ =]?(?P<option>\d{1,3})(?![\w.])",
    re.IGNORECASE,
)
_SIZE: Final = re.compile(
    r"(?<![\w.,/-])(?P<x>\d{1,4}(?:\.\d{1,2})?) ?(?P<unit>[kmg]?)(?:i?b|bytes?)?[ -]"
    r"(?:chunks?|blocks?|parts?|requests?|records?|buffers?|messages?|packets?|reads?|writes?)\b"
    r"|\b(?:chunk|block|part|request|record|buffer|message|packet|transfer|io|read|write)[ _-]?size"
    r"(?: of| is| was| to|:|=| =)? ?\(?(?P<later>\d{1,5}(?:\.\d{1,2})?) ?(?P<unit2>[kmg]?)(?:i?b|bytes?)?(?![\w/])"
    r"|(?<![\w-])(?:bs|rsize|wsize|blksize)=(?P<option>\d{1,8})(?P<unit3>[kmg]?)",
    re.IGNORECASE,
)
_OF_TOOLS: Final = re.compile(
    r"bytes from|icmp_seq|seq=|time[=<]|min/avg|^\s{0,8}\[ {0,4}(?:\d|sum)|\bsec\b.{0,20}bytes|\d\d:\d\d:\d\d|eta\b",
    re.IGNORECASE,
)
_HEAD_RATE: Final = re.compile(r"(?<![\w])(?P<prefix>[kKmMgG])i?(?P<of>[bB])(?:it|yte)?s?(?:/s\w{0,5}|ps)(?!\w)")
_HEAD_RTT: Final = re.compile(r"\b(?:rtt|ping|latency|delay|round.trip)\b.{0,20}?\(?\b(?:ms|msec)\b", re.IGNORECASE)
_HEAD_STREAMS: Final = re.compile(
    r"^\W{0,4}(?:number of |parallel |# ?)?(?:streams|connections|threads|flows|-P)\W{0,4}$", re.IGNORECASE
)
_CELLS: Final = re.compile(r"\s{0,3}[|\t;]\s{0,3}|\s{2,40}|,\s{0,3}(?=[^\d\s])")
_CELL: Final = re.compile(rf"^\D{{0,3}}({NUMBER})\D{{0,8}}$")
_SCALES: Final = {"k": 1e3, "m": 1e6, "g": 1e9}


class _Point(NamedTuple):
    """One value of a series: the line, what it is stated for, the rate [bit/s], and the words."""

    line: int
    x: float
    bps: float
    says: str


def find(document: Document) -> Iterator[Statement]:
    """Find how the rate changes with the distance, the number of streams, and the size of requests."""
    if len(document.content) > _LARGEST or ("/s" not in document.text and RATE.search(document.text) is None):
        return
    source, end = document.source_file, end_of(document.source_file)
    points = _points(document)
    for name, told in points.items():
        for group in _groups(told):
            pair = _pair(group, last=name == "path.rate_over_rtt")
            if pair is not None:
                low, high = pair
                slope = math.log(high.bps / low.bps) / math.log(high.x / low.x)
                says = f"{low.says} … {high.says}" if low.says != high.says else low.says
                yield Statement(name, slope, source, high.line + 1, says[:300], end)


def _points(document: Document) -> dict[str, list[_Point]]:
    """All values of each series."""
    by_name: dict[str, list[_Point]] = {
        "path.rate_over_rtt": [],
        "path.rate_over_streams": [],
        "path.rate_over_request": [],
    }
    keys = dict(zip(by_name, (_rtt, _streams, _size), strict=True))
    for speed in speeds(document.lines):
        if speed.bps:
            for name, key in keys.items():
                if (x := key(speed.text)) is not None:
                    by_name[name].append(_Point(speed.line, x, speed.bps, " ".join(speed.text.split())))
    told = {point.line for points in by_name.values() for point in points}
    told |= {
        paragraph.first + place
        for paragraph in sentences.paragraphs(document.lines)
        for place in range(1, len(paragraph.starts))
    }
    for index, line in enumerate(document.lines):
        if index not in told and (row := _row(line)) is not None:
            text, bps = row
            for name, key in keys.items():
                if (x := key(text)) is not None:
                    by_name[name].append(_Point(index, x, bps, " ".join(text.split())))
    for name, point in _table(document.lines):
        by_name[name].append(point)
    return by_name


def _row(line: str) -> tuple[str, float] | None:
    """What an item of a list or a row of a table states, and its last rate [bit/s]."""
    if not 4 <= len(line) <= _LONGEST or _OF_TOOLS.search(line) is not None:
        return None
    text = sentences.stated(line)
    rates = list(RATE.finditer(text))
    if not rates or (sentences.is_sentence(line) and len(rates) > 1):
        return None
    bps = float(rates[-1]["number"].replace(",", ".")) * unit_of(rates[-1])
    return (text, bps) if bps > 0 else None


def _table(lines: Sequence[str]) -> Iterator[tuple[str, _Point]]:
    """Values of tables whose heading has the units."""
    columns: tuple[str, int, int, float] | None = None
    for index, line in enumerate(lines):
        if len(line) > _LONGEST:
            columns = None
            continue
        cells = [cell.strip() for cell in _CELLS.split(line.strip(" |"))]
        if (head := _heading(cells)) is not None:
            columns = head
            continue
        if columns is None or not line.strip(" |:-+"):
            continue
        name, key, rate, unit = columns
        numbers = [_CELL.match(cells[place]) if place < len(cells) else None for place in (key, rate)]
        if numbers[0] is None or numbers[1] is None:
            columns = None
            continue
        x, value = (float(match[1].replace(",", ".")) for match in numbers if match is not None)
        if x > 0 and value > 0:
            yield name, _Point(index, x, value * unit, " ".join(line.split()))


def _heading(cells: Sequence[str]) -> tuple[str, int, int, float] | None:
    """The series of a table, the columns of its key and of its rate, and what one unit of the rate is [bit/s]."""
    rates = [(place, match) for place, cell in enumerate(cells) if (match := _HEAD_RATE.search(cell)) is not None]
    if len(cells) < 2 or len(rates) != 1 or any(_CELL.match(cell) for cell in cells):
        return None
    place, match = rates[0]
    unit = _SCALES[match["prefix"].lower()] * (8.0 if match["of"] == "B" else 1.0)
    for name, pattern in (("path.rate_over_rtt", _HEAD_RTT), ("path.rate_over_streams", _HEAD_STREAMS)):
        key = next((column for column, cell in enumerate(cells) if column != place and pattern.search(cell)), None)
        if key is not None:
            return name, key, place, unit
    return None


def _rtt(text: str) -> float | None:
    """The one round-trip time of a text. [s]."""
    values = {float(match["x"].replace(",", ".")) / 1e3 for match in _RTT.finditer(text)}
    return values.pop() if len(values) == 1 and min(values) > 0 else None


def _streams(text: str) -> float | None:
    """The one number of streams of a text."""
    values = set()
    for match in _STREAMS.finditer(text):
        word = (match["x"] or match["option"]).lower()
        values.add(float(_FEW.get(word, word)))
    return values.pop() if len(values) == 1 and min(values) > 0 else None


def _size(text: str) -> float | None:
    """The one size of requests of a text. [B]."""
    values = set()
    for match in _SIZE.finditer(text):
        number = match["x"] or match["later"] or match["option"]
        unit = (match["unit"] or match["unit2"] or match["unit3"] or "").lower()
        values.add(float(number) * _UNITS[unit])
    return values.pop() if len(values) == 1 and min(values) > 0 else None


def _groups(points: Sequence[_Point]) -> Iterator[list[_Point]]:
    """Values that stand near each other."""
    group: list[_Point] = []
    for point in sorted(points):
        if group and point.line - group[-1].line > _NEAR:
            yield group
            group = []
        group.append(point)
    if group:
        yield group


def _pair(points: Sequence[_Point], *, last: bool) -> tuple[_Point, _Point] | None:
    """The first or the last two neighbours of a series."""
    best: dict[float, _Point] = {}
    for point in points:
        best.setdefault(point.x, point)
    pairs = [(a, b) for a, b in pairwise(sorted(best.values(), key=lambda each: each.x)) if b.x >= _LEAST_RATIO * a.x]
    return None if not pairs else pairs[-1 if last else 0]
