r"""Times of a command as ``time`` prints them, of bash, zsh, GNU and BSD: its duration, and the processor time in it.

>>> timings = Timings()
>>> lines = ["$ time cp a.bin /mnt/b/", "", "real\t1m40.0s", "user\t0m0.2s", "sys\t0m9.8s"]
>>> [found] = [one for number, text in enumerate(lines, 1) if (one := timings.feed(number, text)) is not None]
>>> found.program, found.real_s, found.processor_s
('cp', 100.0, 10.0)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

HINTS: Final = ("time ", "real", "user", "sys", "elapsed", "% cpu")
"""Every line that matters has one of these."""

_LONGEST: Final = 600
_N: Final = r"\d{1,7}(?:[.,]\d{1,6})?"
_COMMAND: Final = re.compile(
    r"(?:^|[\s;&(`])(?:/usr/bin/)?time\s{1,4}(?:-\w{1,20}\s{1,4}){0,3}\(?\s{0,2}"
    r"(?P<words>(?:sudo |sh -c |bash -c )?['\"]?(?:/\S{0,80}/)?(?P<program>[\w.-]{1,40})(?:\s[^\n]{0,400})?)$"
)
_PART: Final = re.compile(
    rf"^\s{{0,8}}(?P<part>real|user|sys)\s{{1,12}}(?:(?P<minutes>\d{{1,6}})m ?)?(?P<seconds>{_N})s?\s{{0,8}}$"
)
_GNU: Final = re.compile(rf"(?<![\d.,])(?P<user>{_N})user (?P<sys>{_N})system (?P<real>[\d:.,]{{4,20}})elapsed")
_BSD: Final = re.compile(rf"^\s{{0,20}}(?P<real>{_N}) real {{1,12}}(?P<user>{_N}) user {{1,12}}(?P<sys>{_N}) sys\b")
_QUOTES: Final = {ord(mark): None for mark in "'\"()"}
_ZSH: Final = re.compile(
    rf"^(?P<words>(?P<program>[\w.-]{{1,40}})\s[^\n]{{1,400}}?)\s{{1,4}}(?P<user>{_N})s user (?P<sys>{_N})s system"
    r" \d{1,5}% cpu (?P<real>[\d:.,]{1,20}) total$"
)


@dataclass(frozen=True)
class Timing:
    """What ``time`` says of a command: its words, its first and last lines, its duration and processor time [s]."""

    program: str
    words: tuple[str, ...]
    first: int
    last: int
    real_s: float
    processor_s: float


class Timings:
    """Reads the lines of a file, one after another."""

    def __init__(self) -> None:
        self._command: tuple[str, tuple[str, ...], int] | None = None
        self._parts: dict[str, float] = {}

    def feed(self, number: int, text: str) -> Timing | None:
        """Take a line; give the timing that it ends."""
        if len(text) > _LONGEST:
            return None
        if (zsh := _ZSH.match(text)) is not None:
            self._command = zsh["program"], tuple(zsh["words"].split()), number
            return self._ended(number, zsh)
        if "time" in text and (command := _COMMAND.search(text)) is not None:
            words = command["words"].translate(_QUOTES).split()
            self._command, self._parts = (command["program"], tuple(words), number), {}
            return None
        if (whole := _GNU.search(text) or _BSD.match(text)) is not None:
            return self._ended(number, whole)
        if (part := _PART.match(text)) is not None:
            self._parts[part["part"]] = 60 * int(part["minutes"] or 0) + _seconds(part["seconds"])
            if len(self._parts) == len(("real", "user", "sys")):
                return self._timing(number, self._parts["real"], self._parts["user"] + self._parts["sys"])
        return None

    def _ended(self, number: int, match: re.Match[str]) -> Timing | None:
        return self._timing(number, _seconds(match["real"]), _seconds(match["user"]) + _seconds(match["sys"]))

    def _timing(self, number: int, real_s: float, processor_s: float) -> Timing | None:
        command, self._command, self._parts = self._command, None, {}
        if command is None or not real_s:
            return None
        program, words, first = command
        return Timing(program, words, first, number, real_s, processor_s)


def _seconds(text: str) -> float:
    """Read seconds, also with minutes and hours before them, with a point or a comma; 0 where they are no number."""
    fields = text.replace(",", ".").split(":")
    if not all(field.replace(".", "", 1).isdecimal() for field in fields):
        return 0.0
    return sum(60.0**power * float(field) for power, field in enumerate(reversed(fields)))
