"""The list of readers, and the session: which reader gets which line.

A log may hold the output of several tools one after another, with prompts, command lines and prose between. The
reader that took the last line is asked first; every other reader sees the lines that hold one of its `HINTS`. A line
that nobody takes may be a command line, which later readers ask for, or prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from hecn_analysis.logs.contract import Command, Findings, Reader
from hecn_analysis.logs.dd import Dd
from hecn_analysis.logs.nuttcp import Nuttcp
from hecn_analysis.logs.nuttscp import Nuttscp
from hecn_analysis.logs.source import Line

READERS: Final[tuple[type[Reader], ...]] = (Nuttcp, Nuttscp, Dd)
TOOLS: Final = tuple(tool for reader in READERS for tool in reader.TOOLS)

_LONGEST_LINE: Final = 4000
_PROMPT: Final = re.compile(r"^(?:\[[^\]]{1,80}\]|[\w.@~:/+-]{0,80}[@:/~][\w.@~:/+-]{0,80}|)\s?[$#%]\s(?P<command>.*)$")
_PROGRAM: Final = re.compile(
    rf"(?:^|[\s;|&(`'\"/])(?P<program>{'|'.join(map(re.escape, TOOLS))})(?P<version>-\d[\w.]{{0,12}})?"
    r"(?=\s+-{1,2}\w|\s+\w{1,20}=)\s+(?P<arguments>[^|;&>`]{0,500})"
)
_COMMAND_HINTS: Final = ("$", "#", "%", *TOOLS)
_WRAPPERS: Final = frozenset({"sudo", "time", "nice", "nohup", "exec", "command", "env"})


def _hinted(hints: Iterable[str], text: str) -> bool:
    for hint in hints:  # noqa: SIM110 - called for every line of prose, where a generator takes twice as long
        if hint in text:
            return True
    return False


def command(line: Line) -> Command | None:
    """Read a line as a command line, or as an empty prompt, which ends the command before it.

    >>> command(Line(1, "[me@there ~]$ nuttcp -r there"))
    Command(line=1, program='nuttcp', arguments=('-r', 'there'))
    """
    if not _hinted(_COMMAND_HINTS, line.text):
        return None
    if found := _PROGRAM.search(line.text):
        return Command(line.number, found["program"], tuple(found["arguments"].split()))
    prompt = _PROMPT.match(line.text)
    words = (prompt["command"] if prompt else line.text).split()
    while words and words[0] in _WRAPPERS:
        del words[0]
    program = re.sub(r"-\d[\w.]*$", "", words[0].rpartition("/")[2]) if words else ""
    if program in TOOLS and (prompt or len(words) == 2):
        return Command(line.number, program, tuple(words[1:]))
    if prompt and not line.text.startswith("#"):
        return Command(line.number, "", ())
    return None


def read(lines: Iterable[Line], findings: Findings, readers: Sequence[type[Reader]] = READERS) -> None:
    """Offer the lines of one file to the readers.

    Parameters
    ----------
    lines
        The lines of the file.
    findings
        Where the readers put what they find.
    readers
        The readers to ask.
    """
    asked = [make(findings) for make in readers]
    active: Reader | None = None
    for line in lines:
        text = line.text
        if not text or len(text) > _LONGEST_LINE:
            continue
        if active is None or not active.feed(line):
            taker = None
            for reader in asked:
                if reader is not active and _hinted(reader.HINTS, text) and reader.feed(line):
                    taker = reader
                    break
            if taker is None:
                findings.command = command(line) or findings.command
                findings.recent.append(line)
                continue
            active = taker
        findings.claimed = line.number
    for reader in asked:
        reader.finish()
