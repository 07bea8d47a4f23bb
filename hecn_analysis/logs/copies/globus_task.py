"""Output of ``globus task show`` and ``globus task event-list``'s task: bytes, rate and times of a transfer.

Versions: globus-cli 1 to 3, text and JSON (``--format json``), also that of ``globus task list`` and of the service.

Units and traps
---------------
- "Bytes Per Second" is the service's effective rate; it counts from the first byte, so that bytes over the time between
  request and completion, with the wait in the queue, are less.
- A task that is ACTIVE has a rate so far and no end; one that FAILED is an aborted run.
- The file system, the network and the service each may limit the rate: the output does not say which.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

import pandas as pd

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import objects

_FIELD: Final = re.compile(
    r"^(?P<key>Label|Task ID|Type|Status|Request Time|Completion Time|Faults|Bytes Transferred|Bytes Per Second"
    r"|Effective Bytes Per Second|Files|Source Endpoint|Destination Endpoint):\s{1,40}(?P<value>\S.{0,300}?)\s{0,40}$"
)
_KEYS: Final = {
    "label": "Label",
    "task_id": "Task ID",
    "status": "Status",
    "request_time": "Request Time",
    "completion_time": "Completion Time",
    "bytes_transferred": "Bytes Transferred",
    "effective_bytes_per_second": "Bytes Per Second",
}
_WAITED: Final = 10.0  # the time in the queue may be many times that of the transfer


class GlobusTask(DocumentReader):
    """Reader of a task of Globus."""

    TOOLS: tuple[str, ...] = ("globus",)
    VERSIONS: str = "globus-cli 1 to 3"
    HINTS: tuple[str, ...] = (
        *("Label:", "Task ID:", "Type:", "Status:", "Request Time:", "Completion Time:", "Faults:", "Files:"),
        *("Bytes Transferred:", "Bytes Per Second:", "Endpoint:"),
    )

    DOCUMENTS: tuple[frozenset[str], ...] = (
        frozenset({"task_id", "status", "bytes_transferred", "effective_bytes_per_second"}),
        frozenset({"DATA"}),
    )

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._fields: dict[str, tuple[str, int]] = {}

    def feed(self, line: Line) -> bool:
        """Take a field of the task."""
        match = _FIELD.match(line.text)
        if match is None:
            return False
        key = match["key"].removeprefix("Effective ")
        if key in self._fields:
            self._close()
        self._fields[key] = match["value"], line.number
        return True

    def take(self, document: JsonDocument) -> bool:
        """Take a task, or a list of tasks, in JSON."""
        tasks = [task for task in objects(document.value.get("DATA")) if "bytes_transferred" in task]
        lines = document.lines("DATA") if tasks else [document.last]
        for task, line in zip(tasks or [document.value], lines, strict=False):
            self._close()
            known = {name: task.get(key) for key, name in _KEYS.items()}
            self._fields = {name: (str(value), line) for name, value in known.items() if value is not None}
            self._close()
        return bool(tasks) or "bytes_transferred" in document.value

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _close(self) -> None:
        fields, self._fields = self._fields, {}
        lines = [line for _, line in fields.values()]
        if "Bytes Transferred" not in fields:
            if "Task ID" in fields:
                expected = "found a task without its bytes, expected 'Bytes Transferred: …'; no run made of it"
                self.findings.problem(max(lines), "truncated", expected)
            return
        failed = fields.get("Status", ("", 0))[0] == "FAILED"
        amount, rate = (_whole(fields.get(key, ("", 0))[0]) for key in ("Bytes Transferred", "Bytes Per Second"))
        begin, end = (_moment(fields.get(key, ("", 0))[0]) for key in ("Request Time", "Completion Time"))
        if failed:
            self.findings.problem(
                fields["Status"][1], "aborted", "found a status of FAILED, expected a task that SUCCEEDED"
            )
        if amount is None:
            expected = f"found {fields['Bytes Transferred'][0]!r}, expected a number of bytes; left out"
            self.findings.problem(fields["Bytes Transferred"][1], "malformed", expected)
        values: dict[str, object] = {
            "tool": "globus",
            "protocol": "file",
            "label": fields.get("Label", ("", 0))[0] or None,
            "start_time": None if begin is None else pd.Timestamp(begin),
            "bytes": amount,
            "duration_s": amount / rate if amount and rate else None,
            "throughput_bps": None if rate is None or failed else 8.0 * rate,
            "error": failed,
        }
        if not rate and begin is not None and end is not None and end > begin:
            values["duration_s"] = (end - begin).total_seconds()
        self.findings.run(Run(min(lines), max(lines), values, rounding=_WAITED))


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
