"""Prefixes of loggers, terminals and mail before the lines of a tool, in any combination.

Dates and times (ISO 8601, syslog, ``ctime``, a clock alone, seconds since the start, or since 1970 with the ten digits
of 2001 and later), the host and program of syslog and the journal, priorities and log levels, the name and level of
Python's logging, the service of a container, marks of quoted mail.
"""

from __future__ import annotations

import re
from typing import Final

_CLOCK: Final = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_LEVEL: Final = (
    "(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|STDOUT|STDERR"
    "|debug|info|notice|warning|error|stdout|stderr)"
)
_PYTHON: Final = rf"\ -\ (?:[\w.-]{{1,60}}\ -\ )?{_LEVEL}\ -(?=\s)"
_SENDER: Final = rf"\ ?(?!{_LEVEL}\b)\S{{0,99}}[^\s:]\ [A-Za-z_][\w./()-]{{0,80}}"
_NUMBER: Final = r"\[\d{1,8}\]"  # of a process: without it, "Model name:" looks like a host and a program
_PREFIX: Final = re.compile(
    rf"""\s{{0,8}}+(?:(?:(?:>|\|(?!.{{0,2000}}\|\s{{0,8}}$))\ ?){{1,8}}
    |(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[A-Za-z_][\w.]{{0,60}}:
    |(?:\[?\d{{4}}[-/.]\d\d[-/.]\d\d[T ]{_CLOCK}(?:\ ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?[:,]?
      (?:{_PYTHON}|{_SENDER}{_NUMBER}:)?
    | (?:[A-Z][a-z]{{2}}\ )?[A-Z][a-z]{{2}}\ {{1,2}}\d{{1,2}}\ {_CLOCK}(?:\ [A-Z]{{2,5}})?(?:\ \d{{4}})?
      (?:{_SENDER}{_NUMBER}:|(?P<unnumbered>{_SENDER}:))?
    | \[?{_CLOCK}\]?:?(?=\s)
    | \[\s{{0,8}}\d{{1,10}}\.\d{{1,9}}\]
    | 1\d{{9}}\.\d{{1,9}}(?=\s)
    | <\d{{1,3}}>1?
    | [\[(<]{_LEVEL}[\])>]:?(?=\s)
    | [\[(<]?{_LEVEL}(?:\s{{0,4}}[:|\]-])?(?=\s)
    | [\[(<]?{_LEVEL}(?:[\])>]:?|:)$
    | [\w.-]{{1,60}}\ {{1,40}}\|(?=\s)
    | -\ (?:[\w.-]{{1,60}}\ -\ )?(?={_LEVEL}\b)
    )[ \t]?)""",
    re.VERBOSE,
)
_MOST: Final = 6


def without(text: str) -> list[str]:
    """Return a line without its first prefix, then also without the second, and so on.

    What may be a host and a program without the number of a process, or the line's own ("Uplink capacity:"), is left
    and then removed.
    """
    rest: list[str] = []
    while len(rest) < _MOST and (prefix := _PREFIX.match(text)) is not None:
        if prefix["unnumbered"]:
            rest.append(text[prefix.start("unnumbered") :].lstrip())
        text = text[prefix.end() :]
        rest.append(text)
    return rest


def bare(text: str) -> str:
    """Return a line without any of its prefixes."""
    return [text, *without(text)][-1]
