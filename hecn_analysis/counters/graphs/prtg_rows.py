"""Rows of PRTG's historic data, whatever file they were in: dates and channels in any language made into rates.

Units and traps
---------------
- A date with "(RAW)" is the number of days since 1899-12-30 in UTC. It is the end of an interval whose beginning
  stands in local time beside it ("1/2/2024 1:00:00 PM - 2:00:00 PM"; of a whole day, the beginning alone), or, where
  the data are the readings themselves, their time. Excel cuts its digits: then the local time gives the second.
- Day and month are told apart by the raw date, by AM and PM, and by the order of the rows.
- Raw speeds are bytes a second, raw volumes bytes, a raw coverage of 10000 is the whole interval. In words, KB and MB
  are 2**10 and 2**20 bytes, kbit and Mbit 10**3 and 10**6 bits.
- A row without values is a gap, not 0. Rows of sums and averages follow the data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings, interval, series
from hecn_analysis.parsing.amounts import number, scale

_HALVES: Final = r"[ap]\.?\s?m\.?|上午|下午|午前|午後"
_CLOCK: Final = r"(?P<{0}h>\d{{1,2}})[:.h](?P<{0}m>\d{{2}})(?:[:.](?P<{0}s>\d{{2}}))?\s?(?P<{0}half>" + _HALVES + ")?"
_DATE: Final = (
    r"(?P<{0}a>\d{{1,4}})(?P<{0}sign>[./-]|\. )\s?(?P<{0}b>\d{{1,2}})(?:[./-]|\. )\s?(?P<{0}c>\d{{2,4}})\.?,?"
)
_WHEN: Final = re.compile(
    rf"\s*{_DATE.format('')}(?:[T ]\s?(?P<before>上午|下午|午前|午後)?\s?{_CLOCK.format('')})?"
    rf"(?:\s?[-\u2013]\s?(?:{_DATE.format('to_')}\s)?(?P<to_before>上午|下午|午前|午後)?\s?{_CLOCK.format('to_')})?\s*$",
    re.IGNORECASE,
)
_OLE_EPOCH: Final = 25569
_DAY: Final = 86400
_QUARTER: Final = 900
_HOUR: Final = 3600
_YEARS: Final = range(1900, 2262)  # the last that a time in nanoseconds holds
_MINUTE: Final = 60
_OLE_DATES: Final = (30000.0, 80000.0)
_NEARLY_FULL: Final = 9990

_IN: Final = re.compile(
    r"\b(?:in|inbound|incoming|received|rx|entrant|entrante|entrada|entr[ée]e|recibido|recebid\w|eingehend\w*|ein|eingang|"
    r"inkomende?|binnenkomend\w*|ingresso|entrata|przychodz\w+|wej[śs]cie)\b|входящ|вход|入站|传入|流入|受信|入力|輸入",
    re.IGNORECASE,
)
_OUT: Final = re.compile(
    r"\b(?:out|outbound|outgoing|sent|transmitted|tx|sortant|sortie|saliente|salida|enviado|sa[íi]da|ausgehend\w*|aus|ausgang|"
    r"uitgaande?\w*|uit|uscita|wychodz\w+|wyj[śs]cie)\b|исходящ|выход|出站|传出|流出|送信|出力|輸出",
    re.IGNORECASE,
)
_SUM: Final = re.compile(
    r"\b(?:total\w*|sum|suma|summe|gesamt\w*|somme|totaal|totale|ca[łl]kowity|razem)\b|合计|合計|总|總|всего|сумм|итог",
    re.IGNORECASE,
)
_SPEED: Final = re.compile(
    r"speed|velocidad|geschwindigkeit|vitesse|snelheid|velocit[àa]|velocidade|bandwidth|bandbreite|pr[ęe]dko|速度|скорост|d[ée]bit",
    re.IGNORECASE,
)
_VOLUME: Final = re.compile(
    r"volume|volumen|volumem|wolumen|卷|容量|流量|ボリューム|音量|объ[её]м|hoeveelheid", re.IGNORECASE
)
_DOWNTIME: Final = re.compile(
    r"downtime|ausfallzeit|inactividad|indisponibilit|d'arr[êe]t|inattivit|uitval|inatividade|"
    r"停机|宕机|停止|простой|ダウンタイム",
    re.IGNORECASE,
)
_QUANTITY: Final = re.compile(
    r"(?P<number>-?\d[\d.,'\u2019\u00a0\u202f ]{0,30}?)[ \u00a0\u202f]?(?P<prefix>[kKMGTP]?)"
    r"(?P<unit>bit|Bit|byte|Byte|B|b|o|octets?)s?(?P<per>\s?/\s?(?:s\w*|秒|сек?\w*|с)|ps)?\s*$"
)
_BITS: Final = 8


class Moment(NamedTuple):
    """The cell of a date in local time: beginning and end of an interval, or one time, and whether it has seconds."""

    start: datetime
    end: datetime | None
    seconds: bool


@dataclass
class Row:
    """A row of historic data: date and each channel's value in words and as a number, empty if missing."""

    line: int | None
    date: str
    raw_date: str
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    coverage: str = ""


class Channel(NamedTuple):
    """A channel: "speed", "volume" or "downtime"; "in", "out", "sum" or "" (downtime); the rest of its name."""

    kind: str
    way: str
    label: str


def channel(name: str, words: str = "") -> Channel | None:
    """Classify a channel; None for one without traffic."""
    if _DOWNTIME.search(name):
        return Channel("downtime", "", name)
    unit = _QUANTITY.match(words.strip() if words else "")
    if unit is not None:
        kind = "speed" if unit["per"] else "volume"
    elif _SPEED.search(name):
        kind = "speed"
    elif _VOLUME.search(name):
        kind = "volume"
    else:
        return None
    bare = re.sub(r"\([^()]*\)\s*$", "", name)
    for way, pattern in (("out", _OUT), ("in", _IN), ("sum", _SUM)):
        if pattern.search(bare):
            label = " ".join(pattern.sub(" ", bare).split())
            return Channel(kind, way, label or bare.strip())
    return None


def moment(text: str, *, day_first: bool) -> Moment | None:
    """Read a date in local time, or the two of an interval."""
    match = _WHEN.match(text)
    if match is None:
        return None
    start = _point(match, "", day_first=day_first)
    if start is None:
        return None
    end = None
    if match["to_h"] is not None:
        end = _point(match, "to_", day_first=day_first, day=start)
        if end is not None and end <= start and match["to_a"] is None:
            end += timedelta(days=1)
    return Moment(start, end, match["s"] is not None)


def is_raw_date(text: str) -> bool:
    """Whether a text is a number of days that is a recent date."""
    value = number(text)
    return value is not None and _OLE_DATES[0] < value < _OLE_DATES[1]


def hand_over(rows: Sequence[Row], findings: CounterFindings) -> None:
    """Make rates and facts from rows."""
    moments = _moments(rows, findings)
    length = _length(moments, rows)
    kinds = _channels(rows)
    name = next((known.label for known in kinds.values() if known.kind == "speed"), None)
    decimal = _decimal(rows)
    last: float | None = None
    starts: list[float] = []
    offsets: list[float] = []
    volumes: dict[str, float] = {}
    for row, when in zip(rows, moments, strict=True):
        span = _span(row, when, length, findings, last)
        if span is None:
            findings.problem(row.line, "malformed", f"found the date {row.date[:60]!r}, expected one; row left out")
            continue
        last = span.end
        starts += [] if span.start is None else [span.start]
        offsets += [] if span.offset is None else [span.offset]
        speeds = _figures(row, kinds, decimal, "speed")
        for way, amount in _figures(row, kinds, decimal, "volume").items():
            volumes[way] = volumes.get(way, 0.0) + amount
        if name is not None:
            findings.rate(
                interface=name,
                line=row.line,
                time=span.end,
                interval_s=span.length,
                in_bps=_BITS * speeds["in"] if "in" in speeds else None,
                out_bps=_BITS * speeds["out"] if "out" in speeds else None,
                flag=_flag(row, speeds),
            )
    local = [when.start for when in moments if when is not None]
    findings.facts.update(
        n_samples=len(starts),
        n_valid=sum(_says_something(row, kinds) for row in rows),
        interval_s=length,
        first_time=iso(starts[0]) if starts else None,
        last_time=iso(starts[-1]) if starts else None,
        first_time_local=local[0].isoformat() if local else None,
        last_time_local=local[-1].isoformat() if local else None,
        time_zone_offset_h=_hours(offsets),
        channels=list(dict.fromkeys(label for row in rows for label in row.values)),
        series=series(findings.rates),
    )
    if volumes:
        findings.facts["total"] = {f"{way}_bytes": volumes.get(way) for way in ("in", "out")}


def _figures(row: Row, kinds: Mapping[str, Channel], decimal: str, kind: str) -> dict[str, float]:
    """Values of the channels of one kind, by direction."""
    figures: dict[str, float] = {}
    for label, (words, raw) in row.values.items():
        known = kinds.get(label)
        if known is not None and known.kind == kind and (value := _figure(words, raw, decimal)) is not None:
            figures[known.way] = value
    return figures


def _says_something(row: Row, kinds: Mapping[str, Channel]) -> bool:
    values = [pair for label, pair in row.values.items() if label not in kinds or kinds[label].kind != "downtime"]
    return any(number(raw) is not None or words for words, raw in values)


def _flag(row: Row, speeds: Mapping[str, float]) -> str:
    if not speeds:
        return "missing"
    covered = number(row.coverage)
    return "given,partial" if covered is not None and covered < _NEARLY_FULL else "given"


def _point(match: re.Match[str], which: str, *, day_first: bool, day: datetime | None = None) -> datetime | None:
    if match[f"{which}a"] is None and day is not None:
        year, month, of_month = day.year, day.month, day.day
    else:
        a, b, c = (int(match[f"{which}{part}"]) for part in "abc")
        if a > 31:
            year, month, of_month = a, b, c
        else:
            year = c if c > 99 else 2000 + c
            month, of_month = (b, a) if day_first else (a, b)
    if year not in _YEARS:
        return None
    hour = int(match[f"{which}h"] or 0)
    half = (match[f"{which}half"] or match[f"{'to_' if which else ''}before"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half[0] == "p" or half in {"下午", "午後"} else 0)
    try:
        return datetime(year, month, of_month, hour, int(match[f"{which}m"] or 0), int(match[f"{which}s"] or 0))  # noqa: DTZ001 - local
    except ValueError:
        return None


def _moments(rows: Sequence[Row], findings: CounterFindings) -> list[Moment | None]:
    """Dates of the rows, read with the day or the month first, whichever fits them all."""
    readings = {first: [moment(row.date, day_first=first) for row in rows] for first in (True, False)}
    missing = {first: sum(when is None for when in moments) for first, moments in readings.items()}
    if missing[True] != missing[False]:
        return readings[missing[True] < missing[False]]
    if readings[True] == readings[False]:
        return readings[True]
    if any(row.raw_date.strip() for row in rows):
        return readings[_far(readings[True], rows) < _far(readings[False], rows)]
    if any(re.search(r"[ap]\.?\s?m", row.date, re.IGNORECASE) for row in rows[:1]):
        return readings[False]
    if any("/" not in row.date for row in rows[:1]):
        return readings[True]
    steps = {
        first: len({b.start - a.start for a, b in pairwise(moments) if a and b}) for first, moments in readings.items()
    }
    if steps[True] == steps[False]:
        findings.problem(
            rows[0].line,
            "ambiguous",
            f"found dates such as {rows[0].date[:40]!r}, expected one that shows whether the day comes first; "
            "read with the day first",
        )
    return readings[steps[True] <= steps[False]]


def _far(moments: Sequence[Moment | None], rows: Sequence[Row]) -> float:
    """Largest difference of dates in words from the raw ones, in seconds."""
    apart = [
        abs((when.start - datetime(1970, 1, 1)).total_seconds() - (raw - _OLE_EPOCH) * _DAY)  # noqa: DTZ001 - local
        for when, row in zip(moments, rows, strict=True)
        if when is not None and (raw := number(row.raw_date)) is not None
    ]
    return max(apart, default=0.0)


def _length(moments: Sequence[Moment | None], rows: Sequence[Row]) -> float | int | None:
    """Length of the intervals, the most frequent one, in seconds."""
    ranges = Counter(
        (when.end - when.start).total_seconds() for when in moments if when is not None and when.end is not None
    )
    if ranges:
        length = min(ranges, key=lambda span: (-ranges[span], span))
        return int(length) if length.is_integer() else length
    local = sorted((when.start - datetime(1970, 1, 1)).total_seconds() for when in moments if when is not None)  # noqa: DTZ001 - local
    if len(local) > 1:
        return interval(local)
    raw = sorted(round((value - _OLE_EPOCH) * _DAY) for row in rows if (value := number(row.raw_date)) is not None)
    return interval(raw)


class _Span(NamedTuple):
    """Beginning and end of a row in seconds since 1970, and its local time's offset from UTC in seconds."""

    start: float | None
    end: float | None
    length: float | None
    offset: float | None


def _span(
    row: Row, when: Moment | None, length: float | None, findings: CounterFindings, last: float | None
) -> _Span | None:
    """Return the times of a row, given the end of the row before; None for a row without a date."""
    raw = number(row.raw_date) if is_raw_date(row.raw_date) else None
    averaged = when is not None and (when.end is not None or length == _DAY)
    if raw is not None:
        end = round((raw - _OLE_EPOCH) * _DAY)
        if when is None:
            return _Span(end, end, length, None)
        span = _wall_span(when, length, None if last is None else end - last) if averaged else 0.0
        local = (when.start - datetime(1970, 1, 1)).total_seconds()  # noqa: DTZ001 - local
        offset = _QUARTER * round((local - (end - span)) / _QUARTER)
        start = local - offset if when.seconds and abs(local - offset - (end - span)) < _MINUTE else end - span
        return _Span(start, float(start + span), span or length, offset)
    if when is None:
        return None
    if last is None and not findings.clock.known:
        _tell_no_zone(row, findings)
    if averaged and length == _DAY and when.start.time() == datetime.min.time():
        start, following = (findings.clock.day(when.start + timedelta(days=days)) for days in (0, 1))
        return _Span(start, following, following - start, None)
    begin = findings.times.seconds(when.start, line=row.line)
    if begin is None:
        return _Span(None, None, length if length is not None and length < _DAY else None, None)
    span = 0.0
    if averaged:
        span = _wall_span(when, length, None)
        if when.end is not None and findings.clock.known:
            ends = [end for days in (0, 1) for end in findings.clock.passes(when.end - timedelta(days=days))]
            spans = [span, *(end - begin for end in ends if end > begin)]
            span = min(spans, key=lambda each: abs(each - (length or span)))
    return _Span(begin, begin + span, span or length, None)


def _tell_no_zone(row: Row, findings: CounterFindings) -> None:
    message = "found local times without a time zone, expected raw dates too; taken as UTC, give the time zone"
    if not any(problem["message"] == message for problem in findings.problems):
        findings.problem(row.line, "ambiguous", message)


def _wall_span(when: Moment, length: float | None, gap: float | None) -> float:
    """Length of an interval whose ends the wall clock shows, even if the clock changed within it."""
    wall = (when.end - when.start).total_seconds() if when.end is not None else float(length or 0)
    changed = [span for span in (wall - _HOUR, wall + _HOUR, wall + _HOUR - _DAY) if span > 0]
    if gap is not None and (wall != length or wall >= _DAY):
        wall = next((span for span in changed if abs(span - gap) < _MINUTE), wall)
    if length and not 0 < wall <= length and length in changed and (gap is None or wall < _DAY - _HOUR):
        return length
    return wall if wall > 0 else float(length or 0)


def _channels(rows: Iterable[Row]) -> dict[str, Channel]:
    """Classify the channels by names and by the first values in words."""
    words: dict[str, str] = {}
    for row in rows:
        for label, (text, _) in row.values.items():
            if not words.get(label):
                words[label] = text
    return {label: known for label, text in words.items() if (known := channel(label, text)) is not None}


def _decimal(rows: Iterable[Row]) -> str:
    """The decimal sign of values in words."""
    for row in rows:
        for text, _ in row.values.values():
            match = re.search(r"\d([.,])(\d++)[^.,]*+$", text.split("/")[0])
            if match and (len(match[2]) != 3 or re.match(r"\D*0[.,]", text)):
                return match[1]
    return "."


def _figure(words: str, raw: str, decimal: str) -> float | None:
    """Bytes, or bytes a second: the raw value, else the one in words."""
    value = number(raw)
    if value is not None:
        return value
    match = _QUANTITY.match(words.strip())
    if match is None:
        return None
    digits = re.sub(r"[^\d.,-]", "", match["number"])
    other = "," if decimal == "." else "."
    try:
        amount = float(digits.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None
    if match["unit"].lower() == "bit" or match["unit"] == "b":
        return amount * scale(match["prefix"], 1000) / _BITS
    return amount * scale(match["prefix"], 1024)


def _hours(offsets: Sequence[float]) -> float | int | None:
    if not offsets:
        return None
    hours = Counter(offsets).most_common(1)[0][0] / 3600
    return int(hours) if hours.is_integer() else hours
