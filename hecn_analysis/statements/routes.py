"""Routes that traceroute, tracepath, tracert and mtr print, hop by hop, and when they were traced.

Units and traps
---------------
- A route is one text: hops separated by blanks, the addresses of a hop by commas, ``*`` for a hop that does not answer.
  A hop that was named has its address in parentheses: ``gw.example.net(192.0.2.1) * 198.51.100.1,198.51.100.5``.
- Traceroute prints no time: one with a known offset is read from the line above its command or in front of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timezone
from typing import Final

from hecn_analysis.counters.clock import offset
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.dates import stamp
from hecn_analysis.parsing.prefixes import bare
from hecn_analysis.statements.statement import Statement

_ADDRESS: Final = r"(?:\d{1,3}(?:\.\d{1,3}){3}|(?=[\da-fA-F]{0,4}:[\da-fA-F.]{0,15}:)[\da-fA-F:.]{2,45})"
_BEGINNING: Final = re.compile(r"\btraceroute6? to |\bTracing (?:the )?route to |\[LOCALHOST\]|Loss%|Mtr_Version,")
_HUB: Final = re.compile(r'"count":\s{0,4}"?(?P<number>\d{1,2})"?,\s{0,40}"host":\s{0,4}"(?P<host>[^"\s]{1,255})')
_HUBS: Final = re.compile(r'"hubs"\s{0,4}:')
_HOP: Final = re.compile(r"^[\s>]{0,20}(?P<number>\d{1,2})(?:\.\|?-{0,2}|\??:)?\s{1,8}(?P<rest>\S.{0,800})$")
_MORE: Final = re.compile(rf"^[\s>|`-]{{2,40}}(?P<rest>(?:\S{{1,255}} \()?{_ADDRESS}\)?(?:\s.{{0,400}})?)$")
_CSV: Final = re.compile(
    r"^\W{0,8}MTR\.[\w.-]{1,20},\d{8,11},[^,]{0,40},[^,]{1,255},(?P<number>\d{1,3}),(?P<rest>[^,]{1,255}),"
)
_NAMED: Final = re.compile(rf"(?P<name>[^\s,()\[\]]{{1,255}}) [(\[](?P<address>{_ADDRESS})[)\]]")
_BARE: Final = re.compile(rf"(?<![\w.:(\[-])(?P<address>{_ADDRESS})(?![\w.:)\]-])")
_NAME: Final = re.compile(r"(?:\[?AS\S{1,12} {1,8})?(?P<name>[A-Za-z0-9_][\w.-]{1,254})(?=\s|$)")
_ANSWER: Final = re.compile(r"\d\s?ms(?:ec)?\b|\*|no reply|\d%|^\S{1,255}\s+\d{1,3}\.\d\s|\?\?\?|!|timed out")

#: A hop does not follow another one behind so many other lines, nor the time a trace. [lines]
_FAR: Final = 3

#: Longest text of one route; a longer one is no path.
_LONGEST: Final = 4000


def find(document: Document) -> Iterator[Statement]:
    """Find the routes of a file, each at the line of its first hop, and their times."""
    text = document.text
    if _HUBS.search(text) is not None:
        yield from _of_json(document)
    if _BEGINNING.search(text) is not None:
        yield from _of_lines(document)


def _of_json(document: Document) -> Iterator[Statement]:
    """Routes of mtr's JSON; the count of a hop begins again with each report."""
    hops: list[str] = []
    first = 0
    for match in _HUB.finditer(document.text):
        if int(match["number"]) == 1 or not hops:
            yield from _stated(document, first, hops)
            hops, first = [], document.text.count("\n", 0, match.start()) + 1
        hops += ["*"] * (int(match["number"]) - len(hops) - 1)
        hops.append("*" if match["host"] == "???" else match["host"])
    yield from _stated(document, first, hops)


def _of_lines(document: Document) -> Iterator[Statement]:
    hops: list[str] = []
    first = last = 0
    is_open = False
    for number, line in enumerate(document.lines, 1):
        if len(line) > _LONGEST:
            continue
        text = line
        if _BEGINNING.search(text) is not None:
            yield from _stated(document, first, hops)
            yield from _time(document, number)
            hops, first, last, is_open = [], number, number, True
            continue
        if is_open and text[:1].strip() and not text.startswith("MTR."):
            text = bare(text)
        match = (_CSV.match(text) or _HOP.match(text)) if is_open else None
        place = int(match["number"]) if match is not None else 0
        if match is not None and hops and place < len(hops):  # the screen or the table again
            yield from _stated(document, first, hops)
            hops, first = [], number
        if match is not None and place > 0 and place - len(hops) in (0, 1) and _is_hop(text):
            known = _addresses(match["rest"])
            if place == len(hops):
                hops[-1] = _joined(hops[-1], known)
            else:
                hops.append(known)
            last = number
        elif hops and number - last <= _FAR and (more := _MORE.match(text)) is not None:
            hops[-1] = _joined(hops[-1], _addresses(more["rest"]))
            last = number
        elif is_open and number - last > _FAR:
            yield from _stated(document, first, hops)
            hops, is_open = [], False
    yield from _stated(document, first, hops)


def _is_hop(text: str) -> bool:
    return "MTR." in text or _ANSWER.search(text) is not None


def _stated(document: Document, line: int, hops: list[str]) -> Iterator[Statement]:
    route = " ".join(hops)
    if any(hop != "*" for hop in hops) and len(route) <= _LONGEST:
        says = document.lines[line - 1].strip()[:200]
        yield Statement("path.route", route, document.source_file, line, says)


def _time(document: Document, line: int) -> Iterator[Statement]:
    """The time of a trace, in front of its first line or on one of those above it."""
    for number in range(line, max(line - _FAR, 0), -1):
        text = document.lines[number - 1]
        moment = _moment(text)
        if moment is not None:
            yield Statement("path.traced_s", moment, document.source_file, line, text.strip()[:200])
            return


def _moment(text: str) -> float | None:
    printed = stamp(text)
    east = offset(printed.zone) if printed is not None else None
    return None if printed is None or east is None else printed.local.replace(tzinfo=timezone(east)).timestamp()


def _addresses(rest: str) -> str:
    """The hosts that answer at a hop, or "*"."""
    hosts: list[str] = []
    for match in _NAMED.finditer(rest):
        name, address = match["name"], match["address"]
        hosts.append(address if name == address else f"{name}({address})")
    hosts += [match["address"] for match in _BARE.finditer(_NAMED.sub(" ", rest))]
    if not hosts and "???" not in rest and "(waiting" not in rest and (named := _NAME.match(rest)) is not None:
        is_word = named["name"].isdecimal() or named["name"] in ("no", "send", "Request", "ms")
        hosts = [] if is_word else [named["name"]]
    return ",".join(dict.fromkeys(hosts)) or "*"


def _joined(hosts: str, more: str) -> str:
    known = [host for host in (*hosts.split(","), *more.split(",")) if host != "*"]
    return ",".join(dict.fromkeys(known)) or "*"
