"""Pages that MRTG makes: of a target, with its largest, mean and current rates, and the index of all targets.

Versions: MRTG 2.x; indexmaker's pages.

Units and traps
---------------
- The numbers are taken from the comments ("<!-- maxin d 7111354 -->"), which are octets per second whatever the page
  shows; d, w, m and y are the graphs of 5 minutes over about 33 hours, 30 minutes, 2 hours and a day.
- The page of a gauge or of a program has the same numbers of something else: then its legend does not say Bytes or Bits
  per second, and there are no rates.
- The time of the last update is the host's local time.
"""

from __future__ import annotations

import html
import re
from datetime import datetime
from pathlib import PurePath
from typing import Final

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document

FORMATS: Final = ("mrtg-page", "mrtg-index")
VERSIONS: Final = "MRTG 2.x, its indexmaker"
WHOLE: Final = True

_MARK: Final = re.compile(
    r"<!--\s*(?P<what>max|av|cu|avmx)(?P<way>in|out)\s+(?P<period>[dwmy])\s+(?P<value>\d{1,20})\b"
)
_MADE_BY: Final = re.compile(r"(?:<!-- |CONTENT=\")MRTG (?P<version>[\d.]{3,20})", re.IGNORECASE)
_INDEX: Final = re.compile(r"(?:indexmaker|MRTG Index Page)")
_ENTRY: Final = re.compile(
    r"<A\s+HREF=\"(?P<page>[^\"]{1,400})\"[^>]{0,400}>\s*<IMG[^>]{0,400}?SRC=\"(?P<image>[^\"]{1,400}?)-(?:day|week|month|year)\.(?:png|gif|cgi)",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"<B>(?P<title>[^<]{1,300})</B>", re.IGNORECASE)
_IMAGE: Final = re.compile(
    r"<img[^>]{0,200}?src=\"(?P<name>[^\"]{1,300})-(?:day|week|month|year)\.(?:png|gif)", re.IGNORECASE
)
_TITLE: Final = re.compile(r"<title>(?P<title>[^<]{0,300})</title>", re.IGNORECASE)
_UPDATED: Final = re.compile(
    r"last updated\s+(?:<\w+>)?\w+,\s+(?P<day>\d{1,2})\s+(?P<month>\w+)\s+(?P<year>\d{4})\s+at\s+"
    r"(?P<h>\d{1,2}):(?P<m>\d{2})",
    re.IGNORECASE,
)
_SPEED: Final = re.compile(
    r"Max Speed:\s*(?:</?t[dr][^>]{0,100}>\s*)*(?P<value>[\d.]{1,15})\s*(?P<prefix>[kMGT]?)"
    r"(?P<unit>Bytes|bits|B|b)(?:/s|ps)",
    re.IGNORECASE,
)
_RATES: Final = re.compile(r"(?:Bytes|Bits) per (?:Second|Minute|Hour)|[Bb]/s", re.IGNORECASE)
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_PERIODS: Final = {"d": "day", "w": "week", "m": "month", "y": "year"}
_WHATS: Final = {"max": "max", "av": "mean", "cu": "last", "avmx": "mean_max"}
_PREFIXES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BITS: Final = 8


def recognises(document: Document) -> bool:
    """Whether a page has MRTG's comments, or is an index of its graphs."""
    start = document.start
    if not re.match(r"<(?:!DOCTYPE|html|!--)", start, re.IGNORECASE):
        return False
    return _MARK.search(start) is not None or (_INDEX.search(start) is not None and _ENTRY.search(start) is not None)


def read(document: Document, findings: CounterFindings) -> None:
    """Read a page."""
    text = document.text
    if _MARK.search(text):
        findings.format = "mrtg-page"
        _page(text, findings, document.stem)
    else:
        findings.format = "mrtg-index"
        _index(text, findings)


def _page(text: str, findings: CounterFindings, stem: str) -> None:
    image, title, made = _IMAGE.search(text), _TITLE.search(text), _MADE_BY.search(text)
    name = PurePath(image["name"]).name if image else stem
    octets = _RATES.search(text) is not None
    periods: dict[str, dict[str, object]] = {}
    for match in _MARK.finditer(text):
        value = int(match["value"])
        figures = periods.setdefault(_PERIODS[match["period"]], {})
        unit, factor = ("bps", _BITS) if octets else ("raw", 1)
        figures[f"{_WHATS[match['what']]}_{match['way']}_{unit}"] = factor * value
    words = html.unescape(title["title"]).strip() if title else None
    speed = _SPEED.search(text)
    findings.interface(interface=name, description=words, speed_bps=_speed(speed) if speed and octets else None)
    findings.facts.update(
        name=name,
        title=words,
        version=made["version"] if made else None,
        updated_time_local=None,
        periods=periods,
    )
    updated = _UPDATED.search(text)
    if updated and updated["month"].capitalize() in _MONTHS:
        month = 1 + _MONTHS.index(updated["month"].capitalize())
        try:
            local = datetime(int(updated["year"]), month, int(updated["day"]), int(updated["h"]), int(updated["m"]))  # noqa: DTZ001 - local
        except ValueError:
            return
        findings.facts["updated_time_local"] = local.isoformat()
        if findings.clock.known and (updated_time := findings.times.seconds(local)) is not None:
            findings.facts["updated_time"] = iso(updated_time)


def _speed(match: re.Match[str]) -> float | None:
    try:
        value = float(match["value"]) * _PREFIXES[match["prefix"].upper()]
    except ValueError:
        return None
    return value * (_BITS if match["unit"][0] == "B" else 1)


def _index(text: str, findings: CounterFindings) -> None:
    targets = []
    before = 0
    for entry in _ENTRY.finditer(text):
        headings = [html.unescape(match["title"]).strip() for match in _HEADING.finditer(text, before, entry.start())]
        name = PurePath(entry["image"]).name
        targets.append({"name": name, "title": headings[-1] if headings else None, "page": entry["page"]})
        findings.interface(interface=name, description=headings[-1] if headings else None)
        before = entry.end()
    findings.facts.update(n_targets=len(targets), targets=targets)
