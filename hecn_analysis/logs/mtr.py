"""Output of mtr: times and loss of the last hop.

Versions: 0.7 to 0.95: reports (``-r``, ``-w``, any order of fields), a copied screen, CSV (``-C``, from 0.86), JSON
(``-j``; up to 0.92 with numbers in quotes). The raw form (``-l``) is bare numbers, and is not read; nor is XML.

Units and traps
---------------
- Times are milliseconds, one decimal in a report, two or three in CSV and JSON.
- A run has the figures of the last hop. Where that one is silent ("???", nothing received) it has no times: they are
  missing, not 0.0 as printed, and not those of the hop before.
- "100.0" without its % is what silent hops print in some versions; a screen prints them without figures, or as
  "(waiting for reply)".
- The columns are those of the line that names them: ``-o`` prints others, in another order.
- A hop with several addresses lists the others below its figures; MPLS labels stand there too.
- A screen is printed again and again by some terminals; every repetition is a run of its own.
- A report that breaks off inside a hop has a last hop that is not known: the run has no figures then.
- The interarrival jitter of the last hop is read where ``-o`` prints its mean ("Javg").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.logs.contract import Findings, Run
from hecn_analysis.logs.json_documents import Document, DocumentReader, at
from hecn_analysis.logs.source import Line

_NUMBER: Final = re.compile(r"\d{1,12}(?:[.,]\d{1,6})?%?")
_TITLE: Final = re.compile(r"\bMy traceroute\s{1,3}\[v?(?P<version>[\w.-]{1,20})\]")
_START: Final = re.compile(r"^\W{0,20}Start: ")
_HOP: Final = re.compile(r"(?:^|[\s>])(?P<hop>\d{1,3})\.(?P<rest>(?:\|--|\s).{1,800})$")
_MORE: Final = re.compile(r"^[\s>]{3,40}(?:\||`|\[MPLS)")
_CSV_HEAD: Final = re.compile(r"^\W{0,8}M(?:tr|TR)_Version,")
_CSV: Final = re.compile(r"^\W{0,8}MTR\.(?P<version>[\w.]{1,20}),\d{8,12},")
_FIELDS: Final = frozenset(
    "Loss% Snt Drop Rcv Last Best Avg Wrst StDev Gmean Jttr Javg Jmax Jint".split()  # noqa: SIM905 - as mtr prints them
)
_TIMES: Final = {"Best": "rtt_min_s", "Avg": "rtt_avg_s", "Wrst": "rtt_max_s", "Javg": "jitter_s"}
_FAR: Final = 8


@dataclass
class _Open:
    """A report that may still get hops."""

    first: int
    last: int
    columns: dict[str, object]
    fields: list[str] = field(default_factory=list)
    hop: int = 0
    cells: Mapping[str, str] = field(default_factory=dict)


class Mtr(DocumentReader):
    """Reader of mtr."""

    TOOLS: tuple[str, ...] = ("mtr",)
    VERSIONS: str = "0.7 to 0.95: report, screen, CSV, JSON"
    HINTS: tuple[str, ...] = ("My traceroute", "Start: ", "HOST", "Host ", "Mtr_Version", "MTR")
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"report"}),)

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings)
        self._open: _Open | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of a report, a screen or CSV."""
        text, opened = line.text, self._open
        if opened is not None and (
            line.number > opened.last + _FAR or self.findings.command.line > opened.last or not text.strip()
        ):
            self._close()
            opened = None
        if "MTR" in text or "Mtr" in text:
            return self._comma_separated(line)
        if found := _TITLE.search(text):
            return self._begin(line, tool_version=found["version"])
        if _START.match(text) and opened is None:
            self._begin(line)
            return False
        return (("HOST" in text or "Host" in text) and self._head(line)) or self._body(line)

    def _body(self, line: Line) -> bool:
        """A hop, or what stands below one."""
        opened = self._open
        if opened is None or not opened.fields:
            return False
        if found := _HOP.search(line.text):
            return self._hop(line, opened, int(found["hop"]), found["rest"])
        if _MORE.match(line.text):
            opened.last = line.number
            return True
        return False

    def finish(self) -> None:
        """The file has ended."""
        self._close()

    def take(self, document: Document) -> bool:
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
        self._open = _Open(line.number, line.number, {"tool": "mtr", **columns})
        return True

    def _head(self, line: Line) -> bool:
        """The line that names the columns, after "HOST: name" or "Host"."""
        words = line.text.split()
        count = 0
        while count < len(words) and words[-1 - count] in _FIELDS:
            count += 1
        before = words[: len(words) - count]
        if count < 2 or not {"HOST:", "HOST", "Host", "Hostname"} & set(before):
            return False
        if self._open is None or self._open.fields:
            self._begin(line)
        if self._open is not None:
            self._open.fields, self._open.last = words[len(before) :], line.number
        return True

    def _hop(self, line: Line, opened: _Open, number: int, rest: str) -> bool:
        """A hop; the figures are the last words of its line."""
        words = rest.split()
        figures = words[-len(opened.fields) :]
        if len(figures) == len(opened.fields) and all(map(_NUMBER.fullmatch, figures)):
            opened.cells = dict(zip(opened.fields, figures, strict=True))
        else:
            opened.cells = {}
            if not ("???" in words or "(waiting" in words) or not line.complete:
                self._unread(line)
        opened.hop, opened.last = number, line.number
        return True

    def _unread(self, line: Line) -> None:
        kind = "malformed" if line.complete else "truncated"
        self.findings.problem(
            line.number, kind, f"found {line.text.strip()[:200]!r}, expected a hop with a figure for every column"
        )

    def _comma_separated(self, line: Line) -> bool:
        if _CSV_HEAD.match(line.text):
            self._begin(line)
            if self._open is not None:
                self._open.fields = [name.strip() for name in line.text.split(",")]
            return True
        found, opened = _CSV.match(line.text), self._open
        if found is None or opened is None or "Hop" not in opened.fields:
            return False
        cells = dict(zip(opened.fields, line.text.split(","), strict=False))
        if opened.hop and cells.get("Hop") == "1":
            fields = opened.fields
            self._begin(line)
            opened = self._open or opened
            opened.fields = fields
        known = all(_NUMBER.fullmatch(cells.get(name, "")) for name in opened.fields if name in {*_FIELDS, "Hop"})
        opened.cells = cells if known else {}
        if not known:
            self._unread(line)
        opened.hop, opened.last = opened.hop + 1, line.number
        opened.columns |= {"tool_version": found["version"], "label": cells.get("Host")}
        return True

    def _no_hops(self, line: int) -> None:
        self.findings.problem(line, "truncated", "found no hops, expected at least one; no figures read")

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None or not (opened.fields or "tool_version" in opened.columns):
            return
        if not opened.hop:
            self._no_hops(opened.last)
            return
        self.findings.run(Run(opened.first, opened.last, opened.columns | _figures(opened.cells)))


def _figures(cells: Mapping[str, str]) -> dict[str, object]:
    """Columns of the run from the last hop, the texts by the names that mtr gives them."""
    loss, sent, received, dropped = (_read(cells.get(name)) for name in ("Loss%", "Snt", "Rcv", "Drop"))
    columns: dict[str, object] = {
        "loss_fraction": None if loss is None else loss / 100,
        "sent_packets": None if sent is None else int(sent),
        "lost_packets": None if dropped is None else int(dropped),
    }
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
