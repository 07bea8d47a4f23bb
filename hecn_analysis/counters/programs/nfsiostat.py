"""Output of nfsiostat: what a client reads and writes of each NFS mount, and how long the server takes.

Versions: nfs-utils 1.2 to 2.8. The first report is the mean since the mount, those after it are those of an interval;
the last one counts. Times are not printed.

Units and traps
---------------
- kB are 1024 bytes; times are ms: RTT from the request to its answer, exe with the time in the client's queue.
- "retrans" is a number with its share of the operations; "avg queue" and "errors" came with nfs-utils 2.
- Columns are found by their heads, for versions have different ones; figures may stand on the line below the heads.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("nfsiostat",)
VERSIONS: Final = "nfs-utils 1.2 to 2.8"
WHOLE: Final = False

_MOUNT: Final = re.compile(r"^(?P<export>\S{1,200}:\S{1,400}) mounted on (?P<mount>/\S{0,400}?):\s*$", re.MULTILINE)
_HEADS: Final = re.compile(r"^\s{0,8}(?P<way>read|write):\s{1,40}(?P<heads>ops/s\s.{10,200})$", re.MULTILINE)
_HEAD: Final = re.compile(r"(?:avg )?[a-zA-Z/]{2,8}(?: \(ms\))?")
_FIGURE: Final = re.compile(r"(?P<number>\d{1,12}(?:[.,]\d{1,6})?)(?: \((?P<share>\d{1,3}(?:[.,]\d{1,3})?)%\))?")
_COLUMNS: Final = {
    "ops/s": ("ops_per_s", 1.0),
    "kB/s": ("bps", 8192.0),
    "kB/op": ("bytes_per_op", 1024.0),
    "retrans": ("retransmits", 1.0),
    "avg RTT (ms)": ("rtt_s", 1e-3),
    "avg exe (ms)": ("exe_s", 1e-3),
    "avg queue (ms)": ("queue_s", 1e-3),
    "errors": ("errors", 1.0),
}


def recognises(document: Document) -> bool:
    """Whether the heads of reads or writes are in the file."""
    return "kB/op" in document.text and _HEADS.search(document.text) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the last report of each mount."""
    findings.format = "nfsiostat"
    mounts: dict[str, dict[str, Any]] = {}
    mount: dict[str, Any] = {}
    below: re.Match[str] | None = None
    for line, text in enumerate(document.lines, 1):
        if below is not None and text.strip():
            _figures(line, text, below, mount, findings)
            below = None
        elif match := _MOUNT.match(text):
            mount = mounts.setdefault(match["mount"], {"mount": match["mount"], "export": match["export"]})
        elif match := _HEADS.match(text):
            below = match
            mount = mount or mounts.setdefault("", {"mount": None, "export": None})
    findings.facts.update(mounts=list(mounts.values()), n_mounts=len(mounts))


def _figures(line: int, text: str, heads: re.Match[str], mount: dict[str, Any], findings: CounterFindings) -> None:
    """Read the line below the heads."""
    names, figures = _HEAD.findall(heads["heads"]), list(_FIGURE.finditer(text))
    if len(names) != len(figures) or text.strip("0123456789.,()% \t"):
        expected = f"{len(names)} figures: {', '.join(names)}"
        findings.problem(line, "malformed", f"found {text.strip()[:80]!r}, expected {expected}; left out")
        return
    for name, figure in zip(names, figures, strict=True):
        if name in _COLUMNS and (value := number(figure["number"].replace(",", "."))) is not None:
            key, factor = _COLUMNS[name]
            mount[f"{heads['way']}_{key}"] = value * factor
            if figure["share"]:
                mount[f"{heads['way']}_{key}_fraction"] = float(figure["share"].replace(",", ".")) / 100
