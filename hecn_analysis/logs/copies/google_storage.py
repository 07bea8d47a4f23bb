"""Output of gsutil perfdiag and ``gcloud storage``: rates of copies to and from Google's store.

Versions: gsutil 4 and 5 (perfdiag), Google Cloud CLI 400 to 550. One run for each throughput of perfdiag, and for each
"Average throughput: …" of ``gcloud storage cp``.

Units and traps
---------------
- All prefixes are powers of 1024: gsutil's "Gbit/s" of old versions is the "Gibit/s" of new ones.
- The rates on the lines of progress of both commands are those of the last seconds, and are left out.
- Amounts are those that perfdiag was to copy; times are not printed. "With File I/O" reads and writes the disk, too.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale

_N: Final = r"\d{1,6}(?:\.\d{1,6})?"
_KIND: Final = re.compile(r"^\s{4,40}(?P<kind>(?:Read|Write) Throughput(?: With File I/O)?)\s{0,40}$")
_AMOUNT: Final = re.compile(
    rf"(?:^|\s)Copied \d{{1,9}} .{{1,30}} file\(s\) for a total transfer size of (?P<n>{_N}) (?P<unit>[KMGT]?)i?B\.$"
)
_BITS: Final = re.compile(rf"(?:^|\s)(?P<way>Read|Write) throughput: (?P<n>{_N}) (?P<unit>[kKMGT]?)i?bit/s\.\s{{0,8}}$")
_FILES: Final = re.compile(
    rf"(?:^|\s)Completed files \d{{1,9}}/\d{{1,9}} \| (?P<n>{_N})(?P<unit>[kKMGT]?)i?B(?:/|\s|$)"
)
_COPIED: Final = re.compile(
    rf"Total bytes copied=(?P<bytes>\d{{1,18}}), total elapsed time=(?P<seconds>\d{{1,9}}(?:\.\d{{1,6}})?) secs? "
    rf"\((?P<n>{_N}) (?P<unit>[KMGT]?)i?Bps\)"
)
_MEAN: Final = re.compile(rf"(?:^|\s)Average throughput: (?P<n>{_N})(?P<unit>[kKMGT]?)i?B/s\s{{0,8}}$")
_WAYS: Final = {"Read": "receive", "Write": "send"}


class GoogleStorage:
    """Reader of gsutil perfdiag and gcloud storage."""

    TOOLS: tuple[str, ...] = ("gsutil", "gcloud")
    VERSIONS: str = "gsutil 4 and 5 (perfdiag), Google Cloud CLI 400 to 550 (storage)"
    HINTS: tuple[str, ...] = (
        *("Read Throughput", "Write Throughput", "total transfer size of", "Read throughput: ", "Write throughput: "),
        *("Completed files ", "Total bytes copied=", "Average throughput: "),
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._forget()

    def _forget(self) -> None:
        self._first: int | None = None
        self._amount: int | None = None
        self._kind: str | None = None

    def feed(self, line: Line) -> bool:
        """Take the head of a test, its amount, its rate, or the lines of a copy."""
        text = line.text
        if (match := _KIND.match(text)) is not None:
            self._forget()
            self._kind = match["kind"]
        elif (match := _AMOUNT.search(text) or _FILES.search(text)) is not None:
            self._amount = round(_value(match))
            self._first = self._first or line.number
        elif (match := _COPIED.search(text)) is not None:
            self._amount, seconds = int(match["bytes"]), float(match["seconds"])
            self._run(line, "gsutil", 8 * self._amount / seconds if seconds else None, None, seconds or None)
        elif self._first is None:
            return False
        elif (match := _BITS.search(text)) is not None:
            self._run(line, "gsutil", _value(match), _WAYS[match["way"]])
        elif (match := _MEAN.search(text)) is not None:
            self._run(line, "gcloud", 8 * _value(match), None)
        elif "hroughput: " in text:
            report_damaged_line(self._findings, line, "'… throughput: …/s'; left out")
        else:
            return False
        return True

    def _run(
        self, line: Line, tool: str, rate: float | None, direction: str | None, seconds: float | None = None
    ) -> None:
        columns: dict[str, object] = {
            "tool": tool,
            "protocol": "tcp" if tool == "gsutil" else "file",
            "label": self._kind,
            "direction": direction,
            "bytes": self._amount,
            "duration_s": seconds,
            "throughput_bps": rate,
        }
        self._findings.run(Run(self._first or line.number, line.number, columns))
        self._forget()

    def finish(self) -> None:
        """Forget the amount and the head."""
        self._forget()


def _value(match: re.Match[str]) -> float:
    return float(match["n"]) * scale(match["unit"], 1024)
