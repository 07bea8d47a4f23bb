"""Output of speedtest: download (receive), then upload (send), each a run.

Versions: speedtest-cli 0.2 to 2.1 (text, ``--simple``, ``--json``, ``--csv``) and Ookla's own command 1.0 to 1.2 (text,
JSON, and values between commas or tabs).

Units and traps
---------------
- speedtest-cli's Mbit is 10**6 bit; ``--bytes`` prints "Mbyte/s". Old versions write "Mbits/s". Its JSON and CSV are
  bit/s, and the latency is ms.
- Ookla's JSON has "bandwidth" in bytes per second and "elapsed" in ms, and so have the values of ``-f csv`` and
  ``-f tsv``; its text is "Mbps".
- ``--csv`` prints column names only with ``--csv-header``.
- The whole text may stand on one line (a log that swallows line ends); if an announced upload is missing, a problem
  says so and the download is kept.
- The latency is that of the HTTP or TCP test before the transfers, not of the transfers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count, number

_N: Final = r"\d{1,12}(?:[.,]\d{1,12})?"
_BEGINS: Final = re.compile(
    r"Retrieving speedtest\.net (?:configuration|server list)\.\.\.(?!['\"])|"
    r"Selecting best server based on (?:ping|latency)(?!\.*['\"])"
    r"|\bSpeedtest by Ookla\b"
)
_LATENCY: Final = re.compile(
    rf"(?:\bHosted by .{{1,200}}?(?:\[{_N} k?mi?\])?: |\b(?:Idle )?Latency:\s{{1,12}}|(?:^|\s)Ping: )(?P<ms>{_N}) ms\b"
)
_RATE: Final = re.compile(
    rf"\b(?P<way>Download|Upload):\s{{1,12}}(?P<rate>{_N}) (?P<power>[kKMG]?)(?P<unit>bit|byte|bp|Bp|B)(?P<end>s?/?s)\b"
)
_LOSS: Final = re.compile(rf"\bPacket Loss:\s{{1,12}}(?P<loss>{_N})%")
_UNDER_WAY: Final = re.compile(r"\bTesting (?P<way>download|upload) speed\.{3,}")
_BROKEN: Final = re.compile(r"\b(?P<way>Download|Upload):.{0,80}")
_FAILED: Final = re.compile(
    r"(?P<text>Cannot retrieve speedtest (?:configuration|server list)(?!['\"]).{0,200})|^ERROR: (?P<error>\S.{0,300})"
)
_CSV: Final = re.compile(
    rf"^\d{{1,9}},.{{0,300}},\d{{4}}-\d\d-\d\dT[\d:.]{{8,16}}Z,{_N},(?P<ms>{_N}),(?P<down>{_N}),(?P<up>{_N}),"
)
_OOKLA: Final = re.compile(
    r'^"?[^"\t]{1,200}(?P<gap>","|\t)\d{1,9}(?P=gap)(?P<ms>\d{1,9}(?:\.\d{1,9})?)(?P=gap)[\d.]{1,20}(?P=gap)'
    r"(?P<loss>[\d.]{1,20}|N/A)(?P=gap)(?P<down>\d{1,15})(?P=gap)(?P<up>\d{1,15})(?P=gap)(?P<down_bytes>\d{1,18})"
    r"(?P=gap)(?P<up_bytes>\d{1,18})(?P=gap)https://www\.speedtest\.net/"
)
_FAR: Final = 30
_WAYS: Final = {"Download": "receive", "Upload": "send"}


@dataclass
class _OpenRun:
    """A test whose end has not been read."""

    first: int
    last: int
    sure: bool
    latency: float | None = None
    announced: str = ""
    run: Run | None = None


class Speedtest(DocumentReader):
    """Reader of speedtest."""

    TOOLS: tuple[str, ...] = ("speedtest",)
    VERSIONS: str = "speedtest-cli 0.2 to 2.1, Ookla's speedtest 1.0 to 1.2"
    HINTS: tuple[str, ...] = (
        "peedtest",
        "Selecting best server",
        "Hosted by",
        "Ping: ",
        "Testing ",
        "load:",
        "Z,",
        "Latency:",
    )
    DOCUMENTS: tuple[frozenset[str], ...] = (
        frozenset({"download", "upload", "ping", "server", "timestamp"}),
        frozenset({"type", "timestamp", "ping", "download", "isp"}),
    )

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of a test, which may be the whole of it."""
        text, opened = line.text, self._open
        if opened is not None and line.number > opened.last + _FAR:
            self._close()
            opened = None
        taken = False
        if match := _BEGINS.search(text):
            if opened is None or opened.run is not None:
                self._close()
                self._begin(line, sure=True)
            taken = True
        if match := _LATENCY.search(text):
            if opened is not None and opened.run is not None:
                self._close()
            self._begin(line, sure="Hosted by" in text)
            if self._open is not None:
                self._open.latency = float(match["ms"].replace(",", ".")) / 1e3
            taken = True
        if self._open is not None:
            taken = self._transfers(line, self._open) or taken
            if match := _LOSS.search(text):
                self._loss(line, match)
                taken = True
        if match := _CSV.match(text):
            self._values(line.number, line.number, *(float(match[name]) for name in ("ms", "down", "up")))
            return True
        return self._ookla_values(line) or taken or self._failure(line)

    def _ookla_values(self, line: Line) -> bool:
        """Take the values of Ookla's command between commas or tabs."""
        match = _OOKLA.match(line.text) if "speedtest.net" in line.text else None
        if match is None:
            return False
        self._close()
        loss = None if match["loss"] == "N/A" else float(match["loss"]) / 100
        for way, name in (("Download", "down"), ("Upload", "up")):
            run = self._run(line.number, line.number, way, 8.0 * int(match[name]), float(match["ms"]) / 1e3)
            run.columns |= {"bytes": int(match[f"{name}_bytes"]), "loss_fraction": loss}
            self.findings.run(run)
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def take(self, document: JsonDocument) -> bool:
        """Take a result in JSON."""
        value, first, last = document.value, document.first, document.last
        down, up = value.get("download"), value.get("upload")
        if isinstance(down, dict):
            self._close()
            latency, loss = number(at(value, "ping", "latency")), number(value.get("packetLoss"))
            for part, way in ((down, "Download"), (up, "Upload")):
                if (rate := number(at(part, "bandwidth"))) is not None:
                    elapsed = number(at(part, "elapsed"))
                    extra = {
                        "bytes": count(at(part, "bytes")),
                        "duration_s": None if elapsed is None else elapsed / 1e3,
                        "loss_fraction": None if loss is None else loss / 100,
                    }
                    run = self._run(first, last, way, 8 * rate, None if latency is None else latency / 1e3)
                    run.columns |= extra
                    run.rounding = 1.0  # its rate leaves out the slow start that bytes and seconds have
                    self.findings.run(run)
            return True
        ping = number(value.get("ping"))
        rates = number(down), number(up)
        if ping is None or rates == (None, None) or "jitter" in value:  # LibreSpeed's document, in Mbit/s
            return False
        self._close()
        self._values(first, last, ping, *rates)
        return True

    def _values(self, first: int, last: int, ms: float, down: float | None, up: float | None) -> None:
        for way, rate in (("Download", down), ("Upload", up)):
            if rate is not None:
                self.findings.run(self._run(first, last, way, rate, ms / 1e3))

    def _run(self, first: int, last: int, way: str, rate: float, latency: float | None) -> Run:
        columns: dict[str, object] = {
            "tool": "speedtest",
            "protocol": "tcp",
            "label": way,
            "direction": _WAYS[way],
            "throughput_bps": rate,
            "rtt_s": latency,
        }
        return Run(first, last, columns)

    def _begin(self, line: Line, *, sure: bool) -> None:
        if self._open is None:
            self._open = _OpenRun(line.number, line.number, sure)
        self._open.sure |= sure
        self._open.last = line.number

    def _transfers(self, line: Line, opened: _OpenRun) -> bool:
        text, taken = line.text, False
        for way in _UNDER_WAY.findall(text):
            opened.announced, taken = way.capitalize(), True
        for match in _RATE.finditer(text):
            rate = float(match["rate"].replace(",", ".")) * scale(match["power"], 1000)
            bits = rate * (8 if match["unit"] in {"byte", "Bp", "B"} else 1)
            first = opened.first if opened.run is None else line.number
            opened.run = self._run(first, line.number, match["way"], bits, opened.latency)
            self.findings.run(opened.run)
            taken = True
            if opened.announced == match["way"]:
                opened.announced = ""
        if not taken and opened.sure and (broken := _BROKEN.search(text)):
            expected = "a rate such as '93.2 Mbit/s'; no run made of it"
            report_damaged_line(self.findings, line, expected, repr(broken[0].strip()))
            opened.announced, taken = "", True
        if taken:
            opened.last = line.number
        return taken

    def _loss(self, line: Line, match: re.Match[str]) -> None:
        run, loss = (self._open.run if self._open is not None else None), float(match["loss"].replace(",", ".")) / 100
        if run is not None and loss <= 1:
            run.columns["loss_fraction"] = loss
            run.line_last = line.number

    def _failure(self, line: Line) -> bool:
        match = _FAILED.search(line.text)
        if match is None or not (match["text"] or (self._open is not None and self._open.sure)):
            return False
        text = (match["text"] or match["error"]).strip()
        first, self._open = (self._open.first if self._open is not None else line.number), None
        self.findings.problem(line.number, "aborted", f"found {text!r}, expected the rates of download and upload")
        columns: dict[str, object] = {"tool": "speedtest", "protocol": "tcp", "error": True}
        self.findings.run(Run(first, line.number, columns))
        return True

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None or not opened.sure:
            return
        if opened.announced or opened.run is None:
            missing = (opened.announced or "download").lower()
            self.findings.problem(
                opened.last, "truncated", f"found no rate of the {missing}, expected one; no run made of it"
            )
