"""Output of mtr: times and loss of the last hop.

Versions: 0.55 to 0.96: reports (``-r``, ``-w``, any order of fields), a copied screen, CSV (``-C``, from 0.87), JSON
(``-j``; up to 0.92 with numbers in quotes), XML (``-x``, also with "<Loss%>" and without quotes, as old versions write
it), and the raw form (``-l``); the list that WinMTR copies. The CSV of 0.84 to 0.86, with semicolons, has only the last
time of each hop and is not read.

Units and traps
---------------
- Times are milliseconds, one decimal in a report, two or three in CSV and JSON.
- A run has the figures of the last hop. If that hop is silent ("???", nothing received), the times are missing: neither
  the printed 0.0 nor those of the hop before.
- Silent hops have "100.0" without % in some versions; a screen shows them without figures, or as "(waiting for reply)".
- The heading names the columns: ``-o`` changes them and their order.
- A hop with several addresses lists the others below its figures; MPLS labels stand there too.
- WinMTR's list has whole milliseconds and a loss truncated to a whole per cent: the fraction is computed from the
  counts.
- Some terminals print a screen repeatedly; every repetition is a run.
- If a report is truncated inside a hop, the last hop is unknown and the run has no figures. The same holds for XML
  without its end.
- CSV of wide reports repeats a hop for each of its addresses, with the same figures.
- The raw form ("x" a probe, "h" an address, "p" a reply, hops from 0) has times in microseconds and no summary: the run
  is computed from all lines. The target answers with one address at several hops, of which the first counts. A hop that
  is probed repeatedly behind the last answering one is a silent last hop. Before 0.86 there is no "x" and so no loss.
  Output of ``-f``, which does not begin at the first hop, is not read.
- A report that somebody cut after a hop ("...") has no last hop, and no figures. One that ends at another address than
  the one that was traced is named.
- Reports pasted without their hosts keep the heading and figures: rows without numbers of hops are named as ambiguous,
  as hops may be missing. A report pasted without its heading is read from its first hop on if its figures fit the
  columns that mtr prints by default.
- The interarrival jitter of the last hop is read if ``-o`` prints its mean ("Javg").
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.elision import is_elided
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, utc_time

_NUMBER: Final = re.compile(r"\d{1,12}(?:[.,]\d{0,6})?%?")
_TITLE: Final = re.compile(r"\bMy traceroute\s{1,3}\[v?(?P<version>[\w.-]{1,20})\]")
_START: Final = re.compile(r"^\W{0,20}Start: (?P<time>\S{1,40})")
_HOP: Final = re.compile(r"(?:^|[\s>])(?P<hop>\d{1,3})\.(?P<rest>(?:\|--|\s).{1,800}+)$")
_FIRST_HOP: Final = re.compile(r"^[\s>#]{0,20}1\.\|-- ")
_MORE: Final = re.compile(r"^[\s>]{3,40}(?:\||`|\[MPLS)")
_CSV_HEAD: Final = re.compile(r"^\W{0,8}M(?:tr|TR)_Version,")
_CSV: Final = re.compile(r"^\W{0,8}MTR\.(?P<version>[\w.-]{1,20}),(?P<time>\d{8,11}),")
_FIELDS: Final = frozenset(
    "Loss% Snt Drop Rcv Last Best Avg Wrst StDev Gmean Jttr Javg Jmax Jint".split()  # noqa: SIM905 - as mtr prints them
)
_DEFAULT: Final = ["Loss%", "Snt", "Last", "Avg", "Best", "Wrst", "StDev"]
_TIMES: Final = {"Best": "rtt_min_s", "Avg": "rtt_avg_s", "Wrst": "rtt_max_s", "Javg": "jitter_s"}
_WINDOWS_HEAD: Final = re.compile(
    r"^\W{0,80}Host\s{1,40}-\s{1,8}%\s{1,4}\|\s{1,4}Sent \|\s{1,4}Recv \|\s{1,4}Best \|"
    r"\s{1,4}Avrg \|\s{1,4}Wrst \|"
)
_WINDOWS_ROW: Final = re.compile(
    r"^\W{0,80}\S.{0,255}? -\s{1,8}(?P<loss>\d{1,3}(?:\.\d)?) \|\s{1,8}(?P<sent>\d{1,9}) \|"
    r"\s{1,8}(?P<received>\d{1,9}) \|\s{1,8}(?P<best>\d{1,9}) \|\s{1,8}(?P<mean>\d{1,9}) \|"
    r"\s{1,8}(?P<worst>\d{1,9}) \|\s{1,8}\d{1,9} \|"
)
_WINDOWS_END: Final = re.compile(r"\bWinMTR v(?P<version>[\w.]{1,20})\b")
_XML: Final = re.compile(r"^\W{0,8}<MTR SRC=\"?[^\s\"]{0,255}\"? DST=\"?(?P<host>[^\s\"]{0,255})")
_HUB: Final = re.compile(r"^\W{0,40}<HUB COUNT=\"?(?P<hop>\d{1,3})")
_ELEMENT: Final = re.compile(r"^\W{0,40}<(?P<name>[A-Z][A-Za-z]{2,5})%?>\s{0,12}(?P<value>[^<\s]{1,20})</")
_RAW: Final = re.compile(
    r"(?P<kind>[xhpdmt]) (?P<hop>\d{1,3})"
    r" (?:(?P<number>\d{1,10})(?: \d{1,10}){0,3}|(?P<name>[\w.:-]{1,255}))"
)
_ADDRESS: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]{0,4}:[\da-fA-F:.]{1,40}")
_LONGEST_RAW: Final = 300
_FAR: Final = 8


@dataclass
class _OpenRun:
    """A report that may still get hops."""

    first: int
    last: int
    columns: dict[str, object]
    fields: list[str] = field(default_factory=list)
    hop: int = 0
    cells: Mapping[str, str] = field(default_factory=dict)
    host: str = ""
    target: str = ""
    is_elided: bool = False
    is_numbered: bool = True


@dataclass
class _RawHop:
    """A hop of the raw form; times in seconds."""

    address: str = ""
    sent: int = 0
    replies: int = 0
    low: float = math.inf
    high: float = 0.0
    total: float = 0.0


@dataclass
class _Raw:
    """A raw form whose end has not been read."""

    first: int
    last: int
    sequence: int = 0
    hops: dict[int, _RawHop] = field(default_factory=dict)


class Mtr(DocumentReader):
    """Reader of mtr."""

    TOOLS: tuple[str, ...] = ("mtr",)
    VERSIONS: str = "0.55 to 0.96: report, screen, CSV, JSON, XML, raw; WinMTR"
    HINTS: tuple[str, ...] = (
        "My traceroute",
        "Start: ",
        "HOST",
        "Host ",
        "Mtr_Version",
        "MTR",
        "x 0 ",
        "h 0 ",
        "Loss%",
        "1.|--",
    )
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"report"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._open: _OpenRun | None = None
        self._raw: _Raw | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of a report, a screen, a list, CSV, XML or the raw form."""
        text, opened = line.text, self._open
        if opened is not None and (line.number > opened.last + _FAR or not text.strip()):
            self._close()
            opened = None
        if opened is not None and opened.fields == ["WinMTR"]:
            return self._windows(line, opened)
        if "MTR" in text or "Mtr" in text:
            return self._xml(line) if "<" in text else self._comma_separated(line)
        if opened is not None and opened.fields == ["XML"] and "<" in text:
            return self._element(line, opened)
        return (len(text) < _LONGEST_RAW and self._raw_line(line)) or self._report(line)

    def _report(self, line: Line) -> bool:
        """Take a line of a report or a screen, or the head of WinMTR's list."""
        text = line.text
        if match := _TITLE.search(text):
            return self._begin(line, tool_version=match["version"])
        if (self._open is None or self._open.hop) and (match := _START.match(text)):
            self._begin(line, start_time=utc_time(match["time"]))
            return False
        if "Avrg" in text and _WINDOWS_HEAD.match(text):
            return self._windows_head(line)
        return (("HOST" in text or "Host" in text or "Loss%" in text) and self._head(line)) or self._body(line)

    def _body(self, line: Line) -> bool:
        """Take a hop, or a line below one."""
        opened = self._open
        if (opened is None or not opened.fields) and _FIRST_HOP.match(line.text) and _is_default(line.text.split()):
            if opened is None:
                self._begin(line)
            opened = self._open
            if opened is not None:
                opened.fields = _DEFAULT
        if opened is None or not opened.fields:
            return False
        if match := _HOP.search(line.text):
            return self._hop(line, opened, int(match["hop"]), match["rest"])
        words = line.text.split()
        if len(words) == len(opened.fields) and all(map(_NUMBER.fullmatch, words)):
            opened.is_numbered = False
            return self._hop(line, opened, opened.hop + 1, line.text)
        if _MORE.match(line.text):
            opened.last = line.number
            return True
        if opened.hop and is_elided(line.text):
            opened.last, opened.is_elided = line.number, True
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()
        self._close_raw()

    def take(self, document: JsonDocument) -> bool:
        """Take a report in JSON."""
        report = document.value["report"]
        about, hops = at(report, "mtr"), at(report, "hubs")
        if not isinstance(about, dict) or not (isinstance(hops, list) or document.truncated):
            return False
        self._close()
        columns: dict[str, object] = {"tool": "mtr"}
        if isinstance(name := about.get("dst"), str):
            columns["label"] = name
        if document.truncated or not hops or not isinstance(hops[-1], dict):
            if not document.truncated:
                self._no_hops(document.last)
        else:
            columns |= _figures({key: str(value) for key, value in hops[-1].items()})
        self.findings.run(Run(document.first, document.last, columns))
        return True

    def _begin(self, line: Line, **columns: object) -> bool:
        self._close()
        self._open = _OpenRun(line.number, line.number, {"tool": "mtr", **columns})
        return True

    def _head(self, line: Line) -> bool:
        """Take the heading with the columns, after "HOST: name" or "Host"."""
        words = line.text.split()
        count = 0
        while count < len(words) and words[-1 - count] in _FIELDS:
            count += 1
        before = words[: len(words) - count]
        is_bare = not before and {"Loss%", "Snt", "Avg"} <= set(words)
        if count < 2 or not (is_bare or {"HOST:", "HOST", "Host", "Hostname"} & set(before)):
            return False
        if self._open is None or self._open.fields:
            self._begin(line)
        if self._open is not None:
            self._open.fields, self._open.last = words[len(before) :], line.number
            typed = self.findings.command
            if typed.program == "mtr" and line.number - typed.line <= _FAR:
                self._open.target = next(filter(_ADDRESS.fullmatch, typed.arguments), "")
        return True

    def _hop(self, line: Line, opened: _OpenRun, number: int, rest: str) -> bool:
        """Take a hop; the figures are the last words of its line."""
        words = rest.split()
        figures = words[-len(opened.fields) :]
        if len(figures) == len(opened.fields) and all(map(_NUMBER.fullmatch, figures)):
            opened.cells = dict(zip(opened.fields, figures, strict=True))
        else:
            opened.cells = {}
            if not ("???" in words or "(waiting" in words) or not line.complete:
                self._unread(line)
        opened.hop, opened.last, opened.is_elided = number, line.number, False
        opened.host = words[-len(figures) - 1] if len(words) > len(figures) else ""
        return True

    def _unread(self, line: Line) -> None:
        report_damaged_line(self.findings, line, "a hop with a figure for every column")

    def _comma_separated(self, line: Line) -> bool:
        if _CSV_HEAD.match(line.text):
            self._begin(line)
            if self._open is not None:
                self._open.fields = [name.strip() for name in line.text.split(",")]
            return True
        match, opened = _CSV.match(line.text), self._open
        if match is None or opened is None or "Hop" not in opened.fields:
            return False
        cells = dict(zip(opened.fields, line.text.split(","), strict=False))
        hop = cells.get("Hop", "")
        if opened.hop and hop.isdecimal() and int(hop) < opened.hop:
            fields = opened.fields
            self._begin(line)
            opened = self._open or opened
            opened.fields = fields
        known = all(_NUMBER.fullmatch(cells.get(name, "")) for name in opened.fields if name in {*_FIELDS, "Hop"})
        opened.cells = cells if known else {}
        if not known:
            self._unread(line)
        opened.hop, opened.last = int(hop) if hop.isdecimal() else opened.hop, line.number
        opened.columns |= {"tool_version": match["version"], "label": cells.get("Host")}
        opened.columns["start_time"] = utc_time(datetime.fromtimestamp(int(match["time"]), UTC).isoformat())
        return True

    def _windows_head(self, line: Line) -> bool:
        self._begin(line)
        if self._open is not None:
            self._open.fields = ["WinMTR"]
        return True

    def _windows(self, line: Line, opened: _OpenRun) -> bool:
        """Take a row of WinMTR's list, or its end."""
        if "Avrg" in line.text and _WINDOWS_HEAD.match(line.text):
            return self._windows_head(line)
        if (match := _WINDOWS_ROW.match(line.text)) is not None:
            names = ("Loss%", "Snt", "Rcv", "Best", "Avg", "Wrst")
            opened.cells = dict(zip(names, match.groups(), strict=True))
            opened.hop += 1
        elif (match := _WINDOWS_END.search(line.text)) is not None:
            opened.columns["tool_version"] = f"WinMTR {match['version']}"
            opened.last = line.number
            self._close()
            return True
        elif not line.text.lstrip("> ").startswith("|"):
            return False
        opened.last = line.number
        return True

    # --- XML

    def _xml(self, line: Line) -> bool:
        if match := _XML.match(line.text):
            self._begin(line, label=match["host"] or None)
            if self._open is not None:
                self._open.fields = ["XML"]
            return True
        opened = self._open
        if opened is None or "</MTR>" not in line.text:
            return False
        opened.last, opened.fields = line.number, ["XML", "complete"]
        self._close()
        return True

    def _element(self, line: Line, opened: _OpenRun) -> bool:
        """Take a hop, or a figure of the last one."""
        if match := _HUB.match(line.text):
            opened.hop, opened.cells = int(match["hop"]), {}
        elif match := _ELEMENT.match(line.text):
            opened.cells = {**opened.cells, "Loss%" if match["name"] == "Loss" else match["name"]: match["value"]}
        elif "</HUB>" not in line.text:
            return False
        opened.last = line.number
        return True

    # --- the raw form

    def _raw_line(self, line: Line) -> bool:
        match, raw = _RAW.fullmatch(line.text.strip()), self._raw
        if match is None:
            return False
        kind, number = match["kind"], int(match["hop"])
        sequence = int(match["number"]) if kind == "x" and match["number"] else math.inf
        if raw is not None and (line.number > raw.last + _FAR or sequence < raw.sequence):
            self._close_raw()
            raw = None
        if raw is None:
            if number or kind not in "xh":
                return False
            raw = self._raw = _Raw(line.number, line.number)
        hop = raw.hops.setdefault(number, _RawHop())
        raw.last = line.number
        if kind == "x" and match["number"]:
            hop.sent, raw.sequence = hop.sent + 1, int(match["number"])
        elif kind == "h" and _ADDRESS.fullmatch(match["name"] or ""):
            hop.address = match["name"]
        elif kind == "p" and match["number"] and line.complete:
            seconds = int(match["number"]) / 1e6
            hop.replies, hop.total = hop.replies + 1, hop.total + seconds
            hop.low, hop.high = min(hop.low, seconds), max(hop.high, seconds)
        return True

    def _close_raw(self) -> None:
        raw, self._raw = self._raw, None
        if raw is None or not any(hop.replies and hop.address for hop in raw.hops.values()):
            return
        answered = max(number for number, hop in raw.hops.items() if hop.replies and hop.address)
        address = raw.hops[answered].address
        same = (number for number, hop in raw.hops.items() if hop.address == address)
        last = min((answered, *same))
        behind = raw.hops.get(answered + 1)
        hop = behind if behind is not None and behind.sent > 1 and not behind.replies else raw.hops[last]
        columns: dict[str, object] = {"tool": "mtr", "label": hop.address or None}
        if hop.sent:
            columns["sent_packets"] = hop.sent
        if hop.sent >= hop.replies and hop.sent:
            columns |= {"lost_packets": hop.sent - hop.replies, "loss_fraction": 1 - hop.replies / hop.sent}
        if hop.replies:
            columns |= {"rtt_min_s": hop.low, "rtt_avg_s": hop.total / hop.replies, "rtt_max_s": hop.high}
        self.findings.run(Run(raw.first, raw.last, columns))

    def _no_hops(self, line: int) -> None:
        self.findings.problem(line, "truncated", "found no hops, expected at least one; no figures read")

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None or not (opened.fields or "tool_version" in opened.columns):
            return
        if not opened.hop:
            self._no_hops(opened.last)
            return
        if opened.fields == ["XML"]:
            self.findings.problem(
                opened.last, "truncated", "found no '</MTR>', expected one; the last hop is not known, no figures read"
            )
            opened.cells = {}
        elif opened.is_elided:
            message = f"found an ellipsis, expected the hop of {opened.target or 'the target'}; no figures read"
            self.findings.problem(opened.last, "truncated", message)
            opened.cells = {}
        elif not opened.is_numbered:
            message = (
                "found rows without hops, expected the hop of the target as the last one; figures of the last row kept"
            )
            self.findings.problem(opened.last, "ambiguous", message)
        elif _is_elsewhere(opened):
            message = f"found {opened.host!r} as the last hop, expected {opened.target!r}; its figures kept"
            self.findings.problem(opened.last, "ambiguous", message)
        self.findings.run(Run(opened.first, opened.last, opened.columns | _figures(opened.cells)))


def _is_default(words: list[str]) -> bool:
    """Whether a hop ends with figures that fit the columns printed by default."""
    figures = words[-len(_DEFAULT) :]
    if not all(map(_NUMBER.fullmatch, figures)) or not figures[1].isdecimal():
        return False
    loss, _, last, mean, best, worst, _ = (float(figure.rstrip("%").replace(",", ".")) for figure in figures)
    return loss <= 100 and best <= mean <= worst and best <= last <= worst


def _is_elsewhere(opened: _OpenRun) -> bool:
    """Whether a report to an address ends at another one."""
    is_known = opened.target and _ADDRESS.fullmatch(opened.host) and ":" not in opened.target + opened.host
    return bool(is_known) and opened.host != opened.target


def _figures(cells: Mapping[str, str]) -> dict[str, object]:
    """Return the columns of the run from the last hop's texts by mtr's names."""
    loss, sent, received, dropped = (_read(cells.get(name)) for name in ("Loss%", "Snt", "Rcv", "Drop"))
    lost = sent - received if dropped is None and sent is not None and received is not None else dropped
    columns: dict[str, object] = {
        "loss_fraction": None if loss is None else loss / 100,
        "sent_packets": None if sent is None else int(sent),
        "lost_packets": None if lost is None or lost < 0 else int(lost),
    }
    if sent and lost is not None and loss is not None:
        rounding = 0.1 if "." in cells["Loss%"] else 1.0
        if 0 <= lost <= sent and abs(100 * lost / sent - loss) <= rounding:
            columns["loss_fraction"] = lost / sent
    if loss == 100 or received == 0 or sent == 0:
        return columns
    for name, column in _TIMES.items():
        time = _read(cells.get(name))
        columns[column] = None if time is None else time / 1e3
    return columns


def _read(text: str | None) -> float | None:
    if text is None or not _NUMBER.fullmatch(text.strip()):
        return None
    return float(text.strip().rstrip("%").replace(",", "."))
